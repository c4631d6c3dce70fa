// SPDX-License-Identifier: GPL-3.0-or-later
/// Log-log roofline: the machine's roofs, a point per step of a kernel joined by a trail; or each
/// kernel of a model, as large as its share of the time: solid where it was measured.
#pragma once

#include "widgets/roofline/roofline_scene.h"

namespace tw {

class RooflineView : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit RooflineView(QWidget* parent = nullptr);
  void show_roofline(std::shared_ptr<session::RooflineView const> view);
  void show_layers(std::shared_ptr<session::ModelRoofline const> layers);
  /// Words instead of points that are not there yet.
  void show_waiting(QString const& words);
  /// Of the layers: what was measured of them; null: nothing.
  void show_times(std::shared_ptr<session::KernelTable const> table);
  /// The state that the others are compared with; empty: there is none, or it has no point.
  void show_baseline(std::optional<session::RooflinePoint> point);
  /// Of the layers: their times at their baselines, where they have one.
  void show_baselines(std::vector<session::KernelDifference> kernels);
  /// Of the layers: whose kernel is open; -1: none.
  void mark_layer(int kernel);
  /// Where the best of these moves would lead; null: none are known.
  void show_moves(std::shared_ptr<session::MovesView const> moves);
  /// Where the step that is pointed at would lead; null: nowhere.
  void show_outlook(std::shared_ptr<session::Outlook const> outlook);
  /// A machine that is not there beside the one that is; null with words: it is being modelled.
  void show_hypothetical(std::shared_ptr<session::HypotheticalView const> view,
                         QString const& changes);
  /// Every point's memory levels instead of those of the current one only.
  void show_levels_of_all(bool all);
  QSize minimumSizeHint() const override { return pixels(QSizeF(320, 200)); }
  std::vector<Part> parts() const override { return scene_.parts(); }
  RooflineScene const& scene() const { return scene_; }
signals:
  void point_chosen(int history_node);
  void layer_chosen(int kernel);
  void move_chosen(QString line);
  /// Empty: none any more.
  void move_pointed(QString line);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  bool event(QEvent* event) override;
  void take(std::shared_ptr<session::RooflineView const> view);
  bool step_layers(int key);

  RooflineScene scene_{*this};
  QString waiting_;
};

}  // namespace tw
