// SPDX-License-Identifier: GPL-3.0-or-later
/// The best trials of a kernel, the fastest first, with the values of their knobs.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/tuning/tuning_scale.h"

namespace tw {

class TrialTable : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TrialTable(QWidget* parent = nullptr);
  void show_runs(session::TuningView runs, TuningScale scale);
  void select(ChosenTrial chosen);
  ChosenTrial chosen() const { return chosen_; }
  std::vector<ChosenTrial> rows() const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;
  /// In units.
  QRectF row_rect(int row) const;
  /// Empty: the chosen one is not among the best.
  QRectF chosen_rect() const {
    int row = row_of(chosen_);
    return row < 0 ? QRectF() : row_rect(row);
  }

signals:
  void trial_chosen(ChosenTrial chosen);
  void open_asked(ChosenTrial chosen);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;
  void rescale() override { setMinimumHeight(sizeHint().height()), updateGeometry(); }

private:
  struct Row {
    ChosenTrial id;
    std::shared_ptr<session::TuningTrial const> trial;
    QString search;
    std::string kind;  ///< of search
    int from = 0;      ///< the step whose numbers it searches
  };
  /// A knob, where its values stand: those that differ most often come first.
  struct Column {
    std::string knob;
    QString title;
    double left = 0, width = 0;
  };
  int row_of(ChosenTrial chosen) const;
  int row_at(QPointF at) const;
  void choose(int row);
  std::vector<Column> columns() const;
  void draw_head(QPainter& painter, std::vector<Column> const& columns) const;
  void draw_row(QPainter& painter, int row, std::vector<Column> const& columns) const;
  QString words_of(Row const& row) const;

  std::vector<Row> rows_;
  std::vector<std::pair<std::string, double>> knobs_;  ///< with the width that they need
  TuningScale scale_;
  ChosenTrial chosen_;
  double search_width_ = 60;
};

}  // namespace tw
