// SPDX-License-Identifier: GPL-3.0-or-later
/// How many tokens lie in each queue, over the cycles that are seen. A click in a plot sets a
/// breakpoint: in its upper half on pushes, in the lower one on pops.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/timeline_focus.h"

namespace tw {

class TimelineQueues : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TimelineQueues(TimelineFocus& focus, QWidget* parent = nullptr);
  std::vector<Part> parts() const override;
  /// Where a breakpoint of a queue is set; empty: there is no such queue.
  QRectF half_of(TimelineBreak one) const;

signals:
  void break_asked(int queue, bool push);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void rescale() override { lay_out(); }
  bool event(QEvent*) override;

private:
  struct Card {
    int counter = 0;
    QRectF rect;
    QRectF plot() const { return rect.adjusted(10, 28, -10, -10); }
  };
  void lay_out();
  void draw_card(QPainter& painter, Card const& card) const;
  void draw_plot(QPainter& painter, Card const& card) const;
  Card const* card_at(QPointF at) const;

  TimelineFocus& focus_;
  std::vector<Card> cards_;
};

}  // namespace tw
