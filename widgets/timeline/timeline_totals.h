// SPDX-License-Identifier: GPL-3.0-or-later
/// Cycles of each lane by kind, of both runs, and how full memories were at most.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/timeline_focus.h"
#include "widgets/timeline/timeline_hues.h"

namespace tw {

class TimelineTotals : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TimelineTotals(TimelineFocus& focus, QWidget* parent = nullptr);
  void set_theme(Theme const& theme) override;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void memory_asked(int counter);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void rescale() override { lay_out(); }

private:
  struct Row {
    QString name;
    int kind = -2;  ///< of the current run; -1: nothing is recorded, -2: the name of a lane, or all
    std::vector<std::optional<int64_t>> cycles;  ///< of each run
    int counter = -1;                            ///< of a memory
    double y = 0;
  };
  void lay_out();
  double number_width() const;
  void add_lanes();
  void add_memories();
  void draw_row(QPainter& painter, Row const& row) const;
  void draw_memory(QPainter& painter, Row const& row) const;
  QString memory_words(Row const& row) const;

  TimelineFocus& focus_;
  TimelineHues hues_;
  std::vector<Row> rows_;
  double height_ = 0;
};

}  // namespace tw
