// SPDX-License-Identifier: GPL-3.0-or-later
/// Log-log roofline: the machine's roofs, a point per step of a kernel joined by a trail; or each
/// kernel of a model, as large as its share of the time: solid where it was measured.
#pragma once

#include <QLineF>
#include <memory>
#include <optional>

#include "engine/session/bookmarks.h"
#include "engine/session/model_roofline.h"
#include "engine/session/moves.h"
#include "engine/session/outlook.h"
#include "engine/session/what_if.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

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
  /// Where a move would lead in the plot; of those that are drawn.
  std::optional<QPointF> place_of_move(size_t move) const;
  /// Every point's memory levels instead of those of the current one only.
  void show_levels_of_all(bool all);
  QSize minimumSizeHint() const override { return pixels(QSizeF(320, 200)); }
  std::vector<Part> parts() const override;
  QPointF position(double intensity, double gflops) const;
  /// From where the current step is modelled to where the one that is pointed at is: like with
  /// like, so that an arrow up is a gain. Nothing: nothing is pointed at.
  std::optional<QLineF> arrow() const;

  /// From one version to the next: of the trail from step to step, of a kernel of the model from
  /// its baseline to where it is now. Both ends are measured or both modelled, never one of each.
  struct Arrow {
    QLineF line;                   ///< between the points' middles
    double times = 1;              ///< as fast as before
    double before = 0, after = 0;  ///< that the points take of it
    double bow = 0;                ///< how far it bends to its right
  };
  std::vector<Arrow> arrows() const;

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
  QRectF plot() const;
  void draw_axes(QPainter& painter) const;
  void draw_roofs(QPainter& painter) const;
  void draw_legend(QPainter& painter) const;
  void take(std::shared_ptr<session::RooflineView const> view);
  void fit_axes();
  QString unit() const;        ///< of arithmetic: "GFLOP/s"
  QString operations() const;  ///< what it counts: "FLOP"
  QPointF place(session::RooflinePoint const& point) const;
  void draw_trail(QPainter& painter) const;
  void draw_trail_lines(QPainter& painter) const;
  double space_of(session::RooflinePoint const& point) const;
  std::optional<Arrow> arrow_to(size_t step) const;
  std::optional<Arrow> arrow_to(session::LayerPoint const& layer) const;
  static QString words_of(Arrow const& arrow, QString const& before);
  session::KernelDifference const* baseline_of(session::LayerPoint const& layer) const;
  void draw_gains(QPainter& painter, std::vector<QRectF>& taken) const;
  void draw_layers(QPainter& painter) const;
  void draw_layer(QPainter& painter, session::LayerPoint const& layer, bool marked) const;
  void draw_baseline(QPainter& painter) const;
  QString words_of(session::LayerPoint const& layer) const;
  /// Where it stands: as it was measured, else as it is modelled.
  session::RooflinePoint point_of(session::LayerPoint const& layer) const;
  /// Of the model's time: of all runs, measured or modelled.
  double share_of(session::LayerPoint const& layer) const;
  double radius_of(session::LayerPoint const& layer) const;
  /// Those with a point, from the left to the right; the place of one in it, or -1.
  std::vector<session::LayerPoint const*> placed_layers() const;
  session::LayerPoint const* layer_at(QPointF at) const;
  bool step_layers(int key);
  struct Label {
    QPointF at;
    QString words;
    bool strong = false;
    double radius = 0;  ///< of its point
  };
  /// The first ones get a place that nothing takes, or none.
  void draw_labels(QPainter& painter, std::vector<Label> const& labels,
                   std::vector<QRectF>& taken) const;
  bool event(QEvent* event) override;
  void draw_levels(QPainter& painter) const;
  struct Diamond {
    QPointF at;
    QColor colour;
    bool solid = true;
  };
  std::vector<Diamond> diamonds(session::RooflinePoint const& point) const;
  std::vector<Diamond> all_diamonds() const;
  session::RooflinePoint const* current_point() const;
  double work() const;
  QPointF modelled_place() const;
  void draw_modelled(QPainter& painter) const;
  size_t drawn_moves() const;
  QString move_at(QPointF at) const;
  /// As in `Arrow`.
  void draw_arrow(QPainter& painter, QPointF from, QPointF to, double before = 13, double after = 8,
                  double bow = 0) const;
  void draw_moves(QPainter& painter) const;
  void draw_outlook(QPainter& painter) const;
  void draw_card(QPainter& painter, QPointF to) const;
  QPen if_pen() const;
  std::optional<double> if_value(session::RoofView const& roof) const;
  void draw_if_roofs(QPainter& painter) const;
  void draw_if_points(QPainter& painter) const;
  /// What it says of that machine: the first line, the second one, and where they stand.
  std::pair<QString, QString> if_lines() const;
  QRectF if_card() const;
  void draw_if_words(QPainter& painter) const;
  std::vector<Part> if_parts() const;

  std::shared_ptr<session::RooflineView const> view_;
  std::shared_ptr<session::ModelRoofline const> layers_;  ///< null: the trail is shown
  std::shared_ptr<session::KernelTable const> table_;
  std::optional<session::RooflinePoint> baseline_;
  std::vector<session::KernelDifference> baselines_;
  int pointed_ = -1;  ///< the kernel whose point the pointer or the ring is on
  std::shared_ptr<session::MovesView const> moves_;
  std::shared_ptr<session::Outlook const> outlook_;
  std::shared_ptr<session::HypotheticalView const> if_;
  QString if_words_;  ///< what is otherwise; empty: nothing
  QString waiting_;
  int marked_ = -1;
  bool all_levels_ = false;
  double low_x_ = -6, high_x_ = 8;  // log2 of operations per byte
  double low_y_ = -1, high_y_ = 3;  // log10 of billions a second
};

}  // namespace tw
