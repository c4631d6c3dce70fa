// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_memory.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeast = 8, kMost = 20, kTop = 46, kFoot = 30, kInset = 14;

}  // namespace

TimelineMemory::TimelineMemory(TimelineFocus& focus, QWidget* parent)
    : Canvas(parent), focus_(focus) {
  setObjectName("timelineMemory");
  setAccessibleName("Elements of a memory");
  for (auto changed : {&TimelineFocus::runs_changed, &TimelineFocus::chosen_changed,
                       &TimelineFocus::memory_changed})
    connect(&focus_, changed, this, [this] { forget(); });
}

/// From the last touch backwards, until nothing is left that an earlier one could say.
void TimelineMemory::fill() const {
  if (!std::exchange(stale_, false)) return;
  cells_.clear();
  if (!focus_.current() || focus_.memory() < 0) return;
  session::TimelineIndex const& index = focus_.current()->index();
  int64_t elements = index.elements_of(focus_.memory());
  if (elements <= 0) return;
  double wide = unit_width() - 2 * kInset, high = unit_height() - kTop - kFoot;
  int rows = 0;
  for (pitch_ = kMost; pitch_ >= kLeast; --pitch_) {
    columns_ = std::max(8, int(wide / pitch_));
    rows = std::max(2, int(high / pitch_));
    if (int64_t(columns_) * rows >= elements) break;  // each has a square of its own
  }
  pitch_ = std::max(pitch_, kLeast);
  per_cell_ = std::max<int64_t>(1, (elements + columns_ * rows - 1) / (columns_ * rows));
  cells_.assign(size_t((elements + per_cell_ - 1) / per_cell_), Cell::kUntouched);
  chosen_.assign(cells_.size(), false);
  auto touches = index.touches_until(focus_.memory(), focus_.cursor());
  size_t left = cells_.size();
  auto const& all = focus_.current()->timeline().touches;
  for (size_t i = touches.size(); i-- > 0;) {
    Timeline::Touch const& touch = all[size_t(touches[i])];
    bool chosen = touch.instruction == focus_.current_instruction();
    if (left == 0 && !chosen) break;
    if (touch.end <= touch.begin) continue;
    for (int64_t cell = touch.begin / per_cell_; cell <= (touch.end - 1) / per_cell_; ++cell) {
      if (chosen) chosen_[size_t(cell)] = true;
      if (cells_[size_t(cell)] != Cell::kUntouched) continue;
      cells_[size_t(cell)] = touch.write ? Cell::kWritten : Cell::kRead;
      --left;
    }
  }
}

QRectF TimelineMemory::cell_rect(size_t cell) const {
  return {kInset + double(cell % size_t(columns_)) * pitch_,
          kTop + double(cell / size_t(columns_)) * pitch_, pitch_ - 2, pitch_ - 2};
}

QString TimelineMemory::words() const {
  Timeline::Counter const& memory = focus_.current()->timeline().counters[size_t(focus_.memory())];
  int64_t used = focus_.current()->index().value_at(focus_.memory(), focus_.cursor());
  bool bytes = memory.unit == "bytes";
  QString words = bytes ? paint::bytes(used) : grouped(used);
  if (memory.capacity > 0)
    words += " of " + (bytes ? paint::bytes(memory.capacity) : grouped(memory.capacity));
  return words + QString(" at cycle %1").arg(grouped(focus_.cursor()));
}

void TimelineMemory::paintEvent(QPaintEvent*) {
  fill();
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  QRectF head(kInset, 6, unit_width() - 2 * kInset, 18);
  if (!focus_.current() || focus_.memory() < 0)
    return paint::text(painter, head, ui_font(12), theme_.text2, "No memory is recorded.");
  Timeline::Counter const& memory = focus_.current()->timeline().counters[size_t(focus_.memory())];
  paint::text(painter, head, ui_font(12, 600), theme_.text1, QString::fromStdString(memory.name));
  QRectF below(kInset, 24, head.width(), 17);
  if (cells_.empty())
    return paint::text(painter, below, ui_font(11), theme_.text2, "Nothing touches it.");
  paint::text(painter, below, ui_font(11), theme_.text2, words());
  QColor hue = theme_.hue(1);
  for (size_t i = 0; i < cells_.size(); ++i) {
    QRectF rect = cell_rect(i);
    if (cells_[i] == Cell::kWritten) {
      painter.fillRect(rect, Theme::mix(hue, theme_.inset, 0.8));
    } else if (cells_[i] == Cell::kRead) {
      painter.fillRect(rect, Theme::mix(hue, theme_.inset, 0.2));
      painter.setPen(QPen(hue, 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    } else {
      painter.fillRect(rect, theme_.control);
    }
    if (!chosen_[i]) continue;
    painter.setPen(QPen(theme_.ink, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(-0.8, -0.8, 0.8, 0.8));
  }
  draw_legend(painter);
}

void TimelineMemory::draw_legend(QPainter& painter) const {
  double y = unit_height() - 22, x = kInset;
  QColor hue = theme_.hue(1);
  auto entry = [&](QString const& text, auto const& draw) {
    double wide = QFontMetricsF(ui_font(11)).horizontalAdvance(text) + 4;
    if (x + 14 + wide > unit_width() - 4) return;
    draw(QRectF(x, y + 4, 8, 8));
    paint::text(painter, QRectF(x + 14, y, wide, 16), ui_font(11), theme_.text3, text);
    x += 14 + wide + 10;
  };
  entry("written", [&](QRectF r) { painter.fillRect(r, Theme::mix(hue, theme_.inset, 0.8)); });
  entry("read", [&](QRectF r) {
    painter.setPen(QPen(hue, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
  });
  entry("by the chosen", [&](QRectF r) {
    painter.setPen(QPen(theme_.ink, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(r);
  });
  entry(per_cell_ == 1 ? QString("a square: 1 element")
                       : QString("a square: %1 elements").arg(grouped(per_cell_)),
        [](QRectF) {});
}

bool TimelineMemory::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QPointF at = units(help->pos()) - QPointF(kInset, kTop);
  auto column = int64_t(std::floor(at.x() / pitch_)), row = int64_t(std::floor(at.y() / pitch_));
  int64_t cell = row * columns_ + column;
  bool met = column >= 0 && column < columns_ && row >= 0 && cell < int64_t(cells_.size());
  if (!met) return QToolTip::hideText(), true;
  static char const* const kWords[] = {"not touched yet", "read last", "written last"};
  QToolTip::showText(help->globalPos(),
                     QString("elements %1 to %2: %3")
                         .arg(grouped(cell * per_cell_), grouped((cell + 1) * per_cell_ - 1),
                              kWords[size_t(cells_[size_t(cell)])]),
                     this);
  return true;
}

std::vector<Part> TimelineMemory::parts() const {
  fill();
  if (cells_.empty()) return {};
  auto count = [&](Cell wanted) {
    return grouped(int64_t(std::ranges::count(cells_, wanted)) * per_cell_);
  };
  return {{unit_rect(),
           QString("%1: %2; about %3 elements written last, %4 read last")
               .arg(QString::fromStdString(
                        focus_.current()->timeline().counters[size_t(focus_.memory())].name),
                    words(), count(Cell::kWritten), count(Cell::kRead)),
           false}};
}

}  // namespace tw
