// SPDX-License-Identifier: GPL-3.0-or-later
/// How a graph is drawn: near with its words, far away as blocks and lines.
#pragma once

#include <QHash>
#include <QPainter>
#include <QStaticText>

#include "widgets/graph/alike_blocks.h"
#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_cut.h"
#include "widgets/graph/graph_marks.h"
#include "widgets/graph/graph_overlay.h"
#include "widgets/graph/graph_search.h"
#include "widgets/theme/theme.h"

namespace tw {

/// What is in a picture.
struct GraphScene {
  graph::Cards const& cards;
  session::KernelTable const* kernels;  ///< null: none is known
  Theme const& theme;
  GraphCamera const& camera;
  double unit;  ///< pixels
  graph::OverlayValues const& values;
  GraphMarks const& marks;
  GraphSearch const& search;
  AlikeBlocks const& alike;
  GraphCut const& cut;
  int edge;     ///< of the borders, whose reason is shown; -1: none
  QRectF seen;  ///< in the graph's coordinates

  /// Of what is one unit wide from far away as well.
  double thin() const { return 1 / std::min(camera.scale(), 1.0); }
  double pixel() const { return 1 / (camera.scale() * unit); }
};

/// Setting a name takes longer than drawing it, and a picture has hundreds.
class FarNames {
public:
  /// Cut to so many units.
  QStaticText const& name(QFont const& font, QString const& title, int width);
  void forget() { names_.clear(); }

private:
  QHash<std::pair<QString, int>, QStaticText> names_;
};

/// How much is left of what does not match.
constexpr double kDimmed = 0.22;
/// Over lines and frames where only what is found is to be seen.
QColor wash_over(GraphScene const& scene);

/// The graph, by a painter in the canvas' units.
void paint_graph(QPainter& painter, GraphScene const& scene, FarNames& names);

// Parts of it, by a painter in the graph's coordinates.
void paint_frames(QPainter& painter, GraphScene const& scene);
void paint_frame_heads(QPainter& painter, GraphScene const& scene);
/// [+] or [−].
void paint_fold_sign(QPainter& painter, QPointF centre, Theme const& theme, bool plus);
void paint_edges(QPainter& painter, GraphScene const& scene);
void paint_card(QPainter& painter, GraphScene const& scene, graph::Card const& card);
/// Over the cards: frames and signs of what is hinted at, found, alike and different.
void paint_marks(QPainter& painter, GraphScene const& scene);
/// All lines at once, then the cards in the colour of what they mostly are.
void paint_far(QPainter& painter, GraphScene const& scene);
/// Names of what is far away, by a painter in the canvas' units.
void paint_far_names(QPainter& painter, GraphScene const& scene, FarNames& names);

}  // namespace tw
