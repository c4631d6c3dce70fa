// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_lanes.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace timeline_metrics;

namespace {

/// Whom it waits for, and who waits for it; no more than one reads.
QString token_words(TimelineRun const& run, int32_t instruction) {
  constexpr size_t kMost = 4;
  Timeline const& timeline = run.timeline();
  QString words;
  auto add = [&](char const* what, int32_t other, int64_t cycle) {
    if (other < 0) return;
    words +=
        QString("\n%1 %2: %3, at %4")
            .arg(what, QString::number(other),
                 QString::fromStdString(timeline.instructions[size_t(other)].text), grouped(cycle));
  };
  auto taken = run.index().taken_by(instruction), put = run.index().put_by(instruction);
  for (int32_t token : taken.first(std::min(taken.size(), kMost)))
    add("after", timeline.tokens[size_t(token)].from, timeline.tokens[size_t(token)].pushed);
  for (int32_t token : put.first(std::min(put.size(), kMost)))
    add("before", timeline.tokens[size_t(token)].to, timeline.tokens[size_t(token)].popped);
  return words;
}

}  // namespace

TimelineLanes::TimelineLanes(TimelineFocus& focus, QWidget* parent)
    : Canvas(parent), focus_(focus) {
  setObjectName("timelineLanes");
  setAccessibleName("Lanes over cycles");
  setMouseTracking(true);
  connect(&focus_, &TimelineFocus::runs_changed, this, [this] { lay_out(); });
  for (auto changed : {&TimelineFocus::seen_changed, &TimelineFocus::chosen_changed,
                       &TimelineFocus::memory_changed, &TimelineFocus::light_changed})
    connect(&focus_, changed, this, qOverload<>(&QWidget::update));
}

void TimelineLanes::set_theme(Theme const& theme) {
  hues_.set_theme(theme);
  Canvas::set_theme(theme);
}

void TimelineLanes::lay_out() {
  setFixedHeight(height_hint());
  updateGeometry();
  update();
}

QSize TimelineLanes::sizeHint() const { return {pixels(QSizeF(640, 0)).width(), height_hint()}; }

int TimelineLanes::height_hint() const { return pixels(QSizeF(0, layout().height())).height(); }

// ---- places ----------------------------------------------------------------------------------

void TimelineLanes::take_room(double height) {
  if (std::abs(height - room_) < 1) return;
  room_ = height;
  lay_out();
}

// ---- mouse -----------------------------------------------------------------------------------

void TimelineLanes::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  pressed_ = last_ = event->position();
  held_ = true;
  dragging_ = false;
  event->ignore();  // the focus goes to who has the keys
}

void TimelineLanes::mouseMoveEvent(QMouseEvent* event) {
  if (!held_) return;
  QPointF moved = event->position() - last_;
  if (!dragging_ && (event->position() - pressed_).manhattanLength() < 4) return;
  dragging_ = true;
  setCursor(Qt::ClosedHandCursor);
  focus_.pan(-moved.x() / layout().scale().width);
  // What is under the pointer moves with it: so where it is is no measure.
  emit dragged_down(moved.y());
  last_ = event->position() - QPointF(0, moved.y());
}

void TimelineLanes::mouseReleaseEvent(QMouseEvent* event) {
  if (!std::exchange(held_, false)) return event->ignore();
  unsetCursor();
  if (std::exchange(dragging_, false)) return emit moved();
  LanePlace place = layout().place_at(event->position());
  if (place.span >= 0) {
    int instruction =
        focus_.runs()[size_t(place.run)].timeline().spans[size_t(place.span)].instruction;
    if (instruction >= 0) return emit chosen(place.run, instruction);
  }
  TimelineScale across = layout().scale();
  if (event->position().x() >= across.left && event->position().x() <= across.right())
    emit cursor_put(qint64(across.cycle(event->position().x())));
}

void TimelineLanes::mouseDoubleClickEvent(QMouseEvent*) {
  focus_.see_all();
  emit moved();
}

void TimelineLanes::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ShiftModifier) return event->ignore();  // it scrolls
  double turned = event->angleDelta().y() / 120.0;
  TimelineScale across = layout().scale();
  if (turned == 0)
    focus_.pan(-event->angleDelta().x() / 1200.0);
  else
    focus_.zoom(std::pow(0.8, turned),
                across.cycle(std::clamp(event->position().x(), across.left, across.right())));
  event->accept();
  emit moved();
}

bool TimelineLanes::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QString words = words_of(layout().place_at(units(help->pos())));
  if (words.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), paint::wrapped(words), this);
  return true;
}

// ---- words -----------------------------------------------------------------------------------

QString TimelineLanes::words_of(LanePlace const& place) const {
  if (place.span < 0) return {};
  TimelineRun const& run = focus_.runs()[size_t(place.run)];
  Timeline const& timeline = run.timeline();
  Timeline::Span const& span = timeline.spans[size_t(place.span)];
  Timeline::Kind const& kind = timeline.kinds[size_t(span.kind)];
  QString words = QString("%1 cycles, %2: %3 to %4")
                      .arg(grouped(span.end - span.begin), QString::fromStdString(kind.name),
                           grouped(span.begin), grouped(span.end));
  if (!kind.meaning.empty()) words += "\n" + QString::fromStdString(kind.meaning);
  if (span.instruction < 0) return words;
  Timeline::Instruction const& one = timeline.instructions[size_t(span.instruction)];
  words += QString("\n%1 instruction %2: %3")
               .arg(kind.stall ? "waits:" : "of", QString::number(span.instruction),
                    QString::fromStdString(one.text));
  if (one.line > 0 && size_t(one.line) <= run.state->lines.size())
    words +=
        QString("\nline %1: %2")
            .arg(one.line)
            .arg(QString::fromStdString(run.state->lines[size_t(one.line) - 1].text).trimmed());
  return words + token_words(run, span.instruction);
}

QString TimelineLanes::lane_words(int run, int lane) const {
  Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
  QStringList shares;
  for (session::TimelineTotal const& total : focus_.runs()[size_t(run)].state->totals)
    if (total.lane == lane && total.kind >= 0)
      shares << QString("%1 %2").arg(
          QString::fromStdString(timeline.kinds[size_t(total.kind)].name),
          QString::fromStdString(
              percent_text(double(total.cycles) / double(std::max<int64_t>(1, timeline.cycles)))));
  return QString("%1, %2: %3")
      .arg(focus_.runs()[size_t(run)].name,
           QString::fromStdString(timeline.lanes[size_t(lane)].name),
           shares.isEmpty() ? QString("idle") : shares.join(", "));
}

std::vector<Part> TimelineLanes::parts() const {
  constexpr size_t kMostBlocks = 40;  // of a lane: more nobody listens to
  std::vector<Part> parts;
  for (int run = 0; run <= focus_.current_number(); ++run) {
    TimelineRun const& of = focus_.runs()[size_t(run)];
    for (Timeline::Cut const& cut : of.timeline().cuts) {
      QRectF first = layout().lane_rect(run, 0);
      parts.push_back({QRectF(layout().scale().x(double(cut.at)) - 3, first.top(), 6,
                              layout().memory_top(run) - first.top()),
                       "left out: " + cut_words(cut), false});
    }
    for (int lane = 0; lane < int(of.timeline().lanes.size()); ++lane) {
      parts.push_back({layout().lane_rect(run, lane), lane_words(run, lane), false});
      auto seen = of.index().seen(lane, int64_t(focus_.from()), int64_t(std::ceil(focus_.to())));
      for (int32_t span : seen.first(seen.size() <= kMostBlocks ? seen.size() : 0))
        parts.push_back(
            {layout().span_rect(run, span), words_of({run, lane, span}).replace('\n', ", "),
             focus_.chosen_run() == run &&
                 of.timeline().spans[size_t(span)].instruction == focus_.instruction()});
    }
  }
  return parts;
}

}  // namespace tw
