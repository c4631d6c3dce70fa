// SPDX-License-Identifier: GPL-3.0-or-later
/// What a roofline shows, and where: the axes fit what is there.
#pragma once

#include <QLineF>
#include <QPen>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/bookmarks.h"
#include "engine/session/model_roofline.h"
#include "engine/session/moves.h"
#include "engine/session/outlook.h"
#include "engine/session/what_if.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

/// From one version to the next: of the trail from step to step, of a kernel of the model from
/// its baseline to where it is now. Both ends are measured or both modelled, never one of each.
struct RooflineArrow {
  QLineF line;                   ///< between the points' middles
  double times = 1;              ///< as fast as before
  double before = 0, after = 0;  ///< that the points take of it
  double bow = 0;                ///< how far it bends to its right
};

/// A step at one memory level.
struct LevelDiamond {
  QPointF at;
  QColor colour;
  bool solid = true;
};

struct RooflineScene {
  Canvas const& canvas;
  std::shared_ptr<session::RooflineView const> roofline = {};
  std::shared_ptr<session::ModelRoofline const> layers = {};  ///< null: the trail is shown
  std::shared_ptr<session::KernelTable const> table = {};
  std::optional<session::RooflinePoint> baseline = {};
  std::vector<session::KernelDifference> baselines = {};
  std::shared_ptr<session::MovesView const> moves = {};
  std::shared_ptr<session::Outlook const> outlook = {};
  std::shared_ptr<session::HypotheticalView const> hypothetical = {};
  QString changes = {};  ///< of that machine; empty: nothing
  int pointed = -1;      ///< the kernel whose point the pointer or the ring is on
  int marked = -1;
  bool all_levels = false;
  double low_x = -6, high_x = 8;  ///< log2 of operations per byte
  double low_y = -1, high_y = 3;  ///< log10 of billions a second

  // ---- the plot: roofline_scene.cpp ----
  void fit_axes();
  QRectF plot() const;
  QPointF position(double intensity, double gflops) const;
  QPointF place(session::RooflinePoint const& point) const;
  QString unit() const;        ///< of arithmetic: "GFLOP/s"
  QString operations() const;  ///< what it counts: "FLOP"
  std::vector<LevelDiamond> diamonds(session::RooflinePoint const& point) const;
  std::vector<LevelDiamond> all_diamonds() const;
  std::vector<Part> parts() const;

  // ---- from one version to the next: roofline_arrows.cpp ----
  std::vector<RooflineArrow> arrows() const;
  std::optional<RooflineArrow> arrow_to(size_t step) const;
  std::optional<RooflineArrow> arrow_to(session::LayerPoint const& layer) const;
  session::KernelDifference const* baseline_of(session::LayerPoint const& layer) const;

  // ---- the kernels of a model: roofline_layers.cpp ----
  QString words_of(session::LayerPoint const& layer) const;
  /// Where it stands: as it was measured, else as it is modelled.
  session::RooflinePoint point_of(session::LayerPoint const& layer) const;
  /// Of the model's time: of all runs, measured or modelled.
  double share_of(session::LayerPoint const& layer) const;
  double radius_of(session::LayerPoint const& layer) const;
  /// Those with a point, from the left to the right.
  std::vector<session::LayerPoint const*> placed_layers() const;
  session::LayerPoint const* layer_at(QPointF at) const;

  // ---- where steps would lead: roofline_ahead.cpp ----
  /// From where the current step is modelled to where the one that is pointed at is: like with
  /// like, so that an arrow up is a gain. Nothing: nothing is pointed at.
  std::optional<QLineF> arrow() const;
  session::RooflinePoint const* current_point() const;
  double work() const;
  QPointF modelled_place() const;
  size_t drawn_moves() const;
  /// Of those that are drawn.
  std::optional<QPointF> place_of_move(size_t move) const;
  QString move_at(QPointF at) const;

  // ---- a machine that is not there: roofline_if.cpp ----
  std::optional<double> if_value(session::RoofView const& roof) const;
  /// What is said of that machine: the first line, the second one, and where they stand.
  std::pair<QString, QString> if_lines() const;
  QRectF if_card() const;
  std::vector<Part> if_parts() const;
};

/// "2.31× faster than the step before".
QString words_of(RooflineArrow const& arrow, QString const& before);

}  // namespace tw
