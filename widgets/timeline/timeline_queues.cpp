// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_queues.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/timeline/step_area.h"

namespace tw {
namespace {

constexpr double kHead = 26, kCard = 116, kNarrowest = 190, kBetween = 10;

}  // namespace

TimelineQueues::TimelineQueues(TimelineFocus& focus, QWidget* parent)
    : Canvas(parent), focus_(focus) {
  setObjectName("timelineQueues");
  setAccessibleName("Token queues");
  connect(&focus_, &TimelineFocus::runs_changed, this, [this] { lay_out(); });
  for (auto changed : {&TimelineFocus::seen_changed, &TimelineFocus::chosen_changed,
                       &TimelineFocus::breaks_changed})
    connect(&focus_, changed, this, qOverload<>(&QWidget::update));
}

void TimelineQueues::lay_out() {
  cards_.clear();
  if (TimelineRun const* run = focus_.current())
    for (size_t i = 0; i < run->timeline().counters.size(); ++i)
      if (!run->timeline().counters[i].of_memory) cards_.push_back({int(i), {}});
  double all = unit_width() - 32;
  auto most = std::max<size_t>(1, size_t((all + kBetween) / (kNarrowest + kBetween)));
  size_t rows = (cards_.size() + most - 1) / most;
  size_t columns = rows == 0 ? 1 : (cards_.size() + rows - 1) / rows;
  double wide = (all - kBetween * double(columns - 1)) / double(columns);
  for (size_t i = 0; i < cards_.size(); ++i)
    cards_[i].rect = QRectF(16 + double(i % columns) * (wide + kBetween),
                            kHead + double(i / columns) * (kCard + kBetween), wide, kCard);
  double high = cards_.empty() ? 0 : cards_.back().rect.bottom() + 12;
  setFixedHeight(pixels(QSizeF(0, high)).height());
  update();
}

void TimelineQueues::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (cards_.empty()) return;
  paint::text(painter, QRectF(16, 4, unit_width() - 32, 18), ui_font(11), theme_.text3,
              "Token queues of " + focus_.current()->name);
  for (Card const& card : cards_) draw_card(painter, card);
}

void TimelineQueues::draw_card(QPainter& painter, Card const& card) const {
  Timeline::Counter const& queue = focus_.current()->timeline().counters[size_t(card.counter)];
  painter.setPen(QPen(theme_.line1, 1));
  painter.setBrush(theme_.inset);
  painter.drawRoundedRect(card.rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  QString peak = QString("peak %1").arg(focus_.current()->index().peak_of(card.counter));
  if (queue.capacity > 0) peak += QString(" of %1").arg(queue.capacity);
  double wide = QFontMetricsF(ui_font(11)).horizontalAdvance(peak) + 4;
  QRectF head(card.rect.left() + 10, card.rect.top() + 6, card.rect.width() - 20, 18);
  QString name = QString::fromStdString(queue.name).replace("->", QStringLiteral("→"));
  QFont font = ui_font(12);
  double room = head.width() - wide - 6;
  bool both = QFontMetricsF(font).horizontalAdvance(name) <= room;
  paint::text(painter, QRectF(head.topLeft(), QSizeF(both ? room : head.width(), 18)), font,
              theme_.text2, name);
  if (both)
    paint::text(painter, head, ui_font(11), theme_.text3, peak, Qt::AlignRight | Qt::AlignVCenter);
  draw_plot(painter, card);
}

void TimelineQueues::draw_plot(QPainter& painter, Card const& card) const {
  QRectF plot = card.plot();
  TimelineScale at{plot.left(), plot.width(), focus_.from(), focus_.to()};
  StepArea{focus_.current()->index(),
           card.counter,
           at,
           plot,
           std::max<int64_t>(1, focus_.current()->index().peak_of(card.counter)),
           theme_.text2}
      .draw(painter);
  for (bool push : {true, false}) {
    if (!focus_.breaks().contains({card.counter, push})) continue;
    QRectF half = half_of({card.counter, push});
    painter.setPen(QPen(theme_.error, 1.5, Qt::DashLine));
    double edge = push ? half.top() : half.bottom();
    painter.drawLine(QPointF(half.left(), edge), QPointF(half.right(), edge));
    QString words = push ? QStringLiteral("● push") : QStringLiteral("● pop");
    double wide = QFontMetricsF(ui_font(11, 500)).horizontalAdvance(words) + 8;
    QRectF box(half.right() - wide, push ? half.top() + 2 : half.bottom() - 18, wide, 16);
    painter.fillRect(box, theme_.inset);
    paint::text(painter, box, ui_font(11, 500), theme_.error, words, Qt::AlignCenter);
  }
  double here = at.x(double(focus_.cursor()));
  if (here < plot.left() || here > plot.right()) return;
  QPen pen(theme_.ink, 1);
  pen.setDashPattern({4, 3});
  painter.setPen(pen);
  painter.drawLine(QPointF(here, plot.top()), QPointF(here, plot.bottom()));
}

QRectF TimelineQueues::half_of(TimelineBreak one) const {
  for (Card const& card : cards_)
    if (card.counter == one.queue) {
      QRectF plot = card.plot();
      double high = plot.height() / 2;
      return {plot.left(), one.push ? plot.top() : plot.top() + high, plot.width(), high};
    }
  return {};
}

TimelineQueues::Card const* TimelineQueues::card_at(QPointF at) const {
  auto found =
      std::ranges::find_if(cards_, [&](Card const& card) { return card.rect.contains(at); });
  return found == cards_.end() ? nullptr : &*found;
}

void TimelineQueues::mousePressEvent(QMouseEvent* event) {
  event->ignore();
  Card const* card = card_at(event->position());
  if (event->button() != Qt::LeftButton || !card) return;
  emit break_asked(card->counter, event->position().y() < card->plot().center().y());
}

bool TimelineQueues::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  Card const* card = card_at(units(help->pos()));
  if (!card) return QToolTip::hideText(), true;
  Timeline::Counter const& queue = focus_.current()->timeline().counters[size_t(card->counter)];
  QToolTip::showText(help->globalPos(),
                     QString("%1: %2 at the cursor, at most %3\nClick above: stop at its next "
                             "push. Click below: at its next pop")
                         .arg(QString::fromStdString(queue.name))
                         .arg(focus_.current()->index().value_at(card->counter, focus_.cursor()))
                         .arg(focus_.current()->index().peak_of(card->counter)),
                     this);
  return true;
}

std::vector<Part> TimelineQueues::parts() const {
  std::vector<Part> parts;
  for (Card const& card : cards_) {
    Timeline::Counter const& queue = focus_.current()->timeline().counters[size_t(card.counter)];
    QString words = QString("%1: %2 at the cursor, at most %3")
                        .arg(QString::fromStdString(queue.name))
                        .arg(focus_.current()->index().value_at(card.counter, focus_.cursor()))
                        .arg(focus_.current()->index().peak_of(card.counter));
    parts.push_back({card.rect, words, false});
    for (bool push : {true, false})
      parts.push_back({half_of({card.counter, push}),
                       QString("breakpoint on each %1 of %2")
                           .arg(push ? "push" : "pop", QString::fromStdString(queue.name)),
                       focus_.breaks().contains({card.counter, push})});
  }
  return parts;
}

}  // namespace tw
