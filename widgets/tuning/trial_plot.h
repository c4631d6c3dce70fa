// SPDX-License-Identifier: GPL-3.0-or-later
/// Trials as dots, each search's in its hue: pointed at for their words, chosen by a click, opened
/// by Return.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/plot/plot.h"
#include "widgets/tuning/tuning_scale.h"

namespace tw {

class TrialPlot : public Plot, public HasParts {
  Q_OBJECT
public:
  explicit TrialPlot(QWidget* parent = nullptr);
  void select(ChosenTrial chosen);
  void set_theme(Theme const& theme) override;

signals:
  void trial_chosen(ChosenTrial chosen);
  void open_asked(ChosenTrial chosen);

protected:
  /// Other searches than before are shown whole.
  void take_runs(session::TuningView runs, TuningScale scale);
  /// Everything between the axes, made anew from the runs.
  virtual void draw_runs() = 0;
  /// On the axes; nothing: it has no dot.
  virtual std::optional<QPointF> place(session::TuningTrial const& trial) const = 0;
  void add_dots(session::TuningRun const& run, double radius, double opacity);
  void add_line(QPointF from, QPointF to, QPen pen);
  /// In pixels.
  QPointF pixel(QPointF place) const;
  /// A pen of units.
  QPen scaled(QPen pen) const;

  void before_drawing() override { place_ring(); }
  QString words_at(QPointF at) const override;
  void click(QPointF at) override;
  void keyPressEvent(QKeyEvent* event) override;

  session::TuningView runs_;
  TuningScale scale_;
  ChosenTrial chosen_;

private:
  ChosenTrial nearest(QPointF at) const;
  void redraw();
  void place_ring();

  QList<QCPAbstractItem*> lines_;
  QCPItemTracer *disc_, *ring_;  ///< around the chosen trial
};

}  // namespace tw
