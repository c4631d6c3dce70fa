/// Places the cards of a graph in layers, producers above consumers, and routes its edges. Pure
/// geometry in logical pixels: the window and the command line's picture both use it.
#pragma once

#include <string>
#include <vector>

#include "engine/support/base/job.h"

namespace tw::session {

/// Where what enters or leaves a frame stands: above or below all others.
enum class LayoutPin : unsigned char { kNone, kFirst, kLast };
struct LayoutNode {
  double width = 0, height = 0;  ///< given
  double x = 0, y = 0;           ///< result: upper left corner
  int layer = 0;                 ///< result
  LayoutPin pin = LayoutPin::kNone;
};
struct LayoutEdge {
  int from = -1, to = -1;                         ///< indices of nodes
  std::vector<std::pair<double, double>> points;  ///< result: orthogonal polyline
  /// From the node's left edge, where it does not begin or end at the middle; negative: it does.
  double from_at = -1, to_at = -1;
};
struct Layout {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
  double width = 0, height = 0;  ///< result: of everything
};

struct LayoutOptions {
  double layer_gap = 56;
  double node_gap = 36;
  int sweeps = 4;          ///< of the ordering by barycentre
  StopToken stop = {};     ///< asked for every row of cards and every edge
  Progress progress = {};  ///< told after every row, in passes over cards
};

/// Layers by longest path, orders each layer by the barycentres of its neighbours (Sugiyama,
/// Tagawa, Toda 1981), long edges through placeholders. Edges must not form a cycle; an edge that
/// would is ignored for layering. O(sweeps * edges * log). False: it was stopped, and no result
/// means anything.
bool lay_out(Layout& layout, LayoutOptions const& options = {});

}  // namespace tw::session
