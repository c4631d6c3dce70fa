/// The layout of a graph some of whose cards stand together in frames, and frames in frames: each
/// frame is laid out by itself and then stands as one card among the others.
#pragma once

#include <utility>
#include <vector>

#include "engine/session/views/graph_layout.h"

namespace tw::session {

struct FramedCard {
  double width = 0, height = 0;  ///< given
  int frame = -1;                ///< that it stands in; -1: none
  double x = 0, y = 0;           ///< result
};
struct Frame {
  int parent = -1;                             ///< a frame that comes before it; -1: none
  double least_width = 0;                      ///< for its title
  double x = 0, y = 0, width = 0, height = 0;  ///< result
};
struct FramedEdge {
  int from = -1, to = -1;                         ///< cards
  std::vector<std::pair<double, double>> points;  ///< result: orthogonal polyline
};
struct FramedLayout {
  std::vector<FramedCard> cards;
  std::vector<Frame> frames;
  std::vector<FramedEdge> edges;
  /// Given: what is outside of frames flows in columns to be seen large in it; 0: in one column.
  double room_width = 0, room_height = 0;
  double width = 0, height = 0;  ///< result: of everything
};

inline constexpr double kFrameHead = 34, kFramePad = 16;

/// Edges that enter a frame from one card share a line until they part. False: it was stopped, and
/// no result means anything.
bool lay_out(FramedLayout& layout, LayoutOptions const& options = {});

}  // namespace tw::session
