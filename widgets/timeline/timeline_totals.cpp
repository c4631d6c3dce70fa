// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_totals.h"

#include <QMouseEvent>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kRow = 22, kInset = 14;
constexpr int kAll = -2;

QString text_of(std::string const& text) { return QString::fromStdString(text); }

/// Of the same lane and kind in a run; nothing: it does not occur there.
std::optional<int64_t> cycles_in(TimelineRun const& run, std::string const& lane,
                                 std::string const& kind) {
  Timeline const& timeline = run.timeline();
  for (session::TimelineTotal const& row : run.state->totals)
    if (timeline.lanes[size_t(row.lane)].name == lane &&
        (row.kind < 0 ? "" : timeline.kinds[size_t(row.kind)].name) == kind)
      return row.cycles;
  return {};
}

}  // namespace

TimelineTotals::TimelineTotals(TimelineFocus& focus, QWidget* parent)
    : Canvas(parent), focus_(focus) {
  setObjectName("timelineTotals");
  setAccessibleName("Cycles by kind of work");
  connect(&focus_, &TimelineFocus::runs_changed, this, [this] { lay_out(); });
  connect(&focus_, &TimelineFocus::memory_changed, this, qOverload<>(&QWidget::update));
}

void TimelineTotals::set_theme(Theme const& theme) {
  hues_.set_theme(theme);
  Canvas::set_theme(theme);
}

QSize TimelineTotals::sizeHint() const { return pixels(QSizeF(280, height_)); }

void TimelineTotals::lay_out() {
  rows_.clear();
  height_ = 28;
  if (focus_.current()) {
    add_lanes();
    add_memories();
  }
  height_ += 8;
  setMinimumHeight(pixels(QSizeF(0, height_)).height());
  updateGeometry();
  update();
}

/// The names above them get more, where there is room.
double TimelineTotals::number_width() const {
  double needed =
      QFontMetricsF(mono_font(12, 600)).horizontalAdvance(grouped(focus_.cycles())) + 12;
  double room =
      (unit_width() - 2 * kInset - 120) / double(std::max<size_t>(1, focus_.runs().size()));
  return std::max(needed, std::min(96.0, room));
}

void TimelineTotals::add_lanes() {
  Timeline const& timeline = focus_.current()->timeline();
  auto add = [&](Row row) {
    row.y = height_;
    height_ += kRow;
    rows_.push_back(std::move(row));
  };
  int lane = -1;
  for (session::TimelineTotal const& total : focus_.current()->state->totals) {
    std::string const& name = timeline.lanes[size_t(total.lane)].name;
    if (total.lane != lane) {
      if (lane >= 0) height_ += 6;
      add({text_of(name), kAll, {}, -1, 0});
    }
    lane = total.lane;
    std::string const kind = total.kind < 0 ? "" : timeline.kinds[size_t(total.kind)].name;
    Row row{kind.empty() ? "idle" : text_of(kind), total.kind, {}, -1, 0};
    for (TimelineRun const& run : focus_.runs()) row.cycles.push_back(cycles_in(run, name, kind));
    add(std::move(row));
  }
  height_ += 6;
  bool whole = focus_.current()->timeline().cuts.empty();
  Row all{whole ? "Total" : "Total shown", kAll, {}, -1, 0};
  for (TimelineRun const& run : focus_.runs()) all.cycles.push_back(run.timeline().cycles);
  add(std::move(all));
}

void TimelineTotals::add_memories() {
  auto const& counters = focus_.current()->timeline().counters;
  bool first = true;
  for (size_t i = 0; i < counters.size(); ++i) {
    if (!counters[i].of_memory) continue;
    if (std::exchange(first, false)) height_ += 34;
    rows_.push_back({text_of(counters[i].name), kAll, {}, int(i), height_});
    height_ += kRow + 4;
  }
}

void TimelineTotals::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (rows_.empty()) return;
  bool whole = focus_.current()->timeline().cuts.empty();
  paint::text(painter, QRectF(kInset, 4, 44, 20), ui_font(11), theme_.text3,
              whole ? "Cycles" : "Shown");
  double const wide = number_width();
  for (size_t run = 0; run < focus_.runs().size(); ++run) {
    double right = unit_width() - kInset - wide * double(focus_.runs().size() - 1 - run);
    QFont font = ui_font(11);
    QString name =
        QFontMetricsF(font).elidedText(focus_.runs()[run].name, Qt::ElideRight, wide - 6);
    paint::text(painter, QRectF(right - wide, 4, wide, 20), font, theme_.text3, name,
                Qt::AlignRight | Qt::AlignVCenter);
  }
  bool titled = false;
  for (Row const& row : rows_) {
    if (row.counter < 0) {
      draw_row(painter, row);
      continue;
    }
    if (!std::exchange(titled, true)) {
      QString title = "Peak memory use, " + focus_.current()->name;
      paint::text(
          painter, QRectF(kInset, row.y - 24, unit_width() - 2 * kInset, 18), ui_font(11),
          theme_.text3,
          QFontMetricsF(ui_font(11)).elidedText(title, Qt::ElideRight, unit_width() - 2 * kInset));
    }
    draw_memory(painter, row);
  }
}

void TimelineTotals::draw_row(QPainter& painter, Row const& row) const {
  double wide = number_width(), numbers = wide * double(focus_.runs().size());
  bool head = row.kind == kAll;
  bool all = head && !row.cycles.empty();
  painter.setPen(QPen(head ? theme_.line2 : theme_.line1, 1));
  painter.drawLine(QPointF(kInset, row.y + 0.5), QPointF(unit_width() - kInset, row.y + 0.5));
  if (row.kind >= 0)
    hues_.block(painter, QRectF(kInset, row.y + 5, 5, kRow - 9),
                focus_.current()->timeline().kinds[size_t(row.kind)]);
  double left = head ? kInset : kInset + 14, room = unit_width() - kInset - numbers - left;
  QFont font = ui_font(12, head ? 600 : 400);
  paint::text(painter, QRectF(left, row.y, head && !all ? room + numbers : room, kRow), font,
              head ? theme_.text1 : theme_.text2,
              QFontMetricsF(font).elidedText(row.name, Qt::ElideRight,
                                             head && !all ? room + numbers : room));
  for (size_t run = 0; run < row.cycles.size(); ++run) {
    double right = unit_width() - kInset - wide * double(row.cycles.size() - 1 - run);
    bool current = run + 1 == row.cycles.size();
    QString words = row.cycles[run] ? grouped(*row.cycles[run]) : QStringLiteral("–");
    paint::text(painter, QRectF(right - wide, row.y, wide, kRow),
                mono_font(12, current ? 600 : 400), current ? theme_.text1 : theme_.text2, words,
                Qt::AlignRight | Qt::AlignVCenter);
  }
}

QString TimelineTotals::memory_words(Row const& row) const {
  Timeline::Counter const& memory = focus_.current()->timeline().counters[size_t(row.counter)];
  bool bytes = memory.unit == "bytes";
  auto words = [&](int64_t count) { return bytes ? paint::bytes(count) : grouped(count); };
  QString text = words(focus_.current()->index().peak_of(row.counter));
  return memory.capacity > 0 ? text + " of " + words(memory.capacity) : text;
}

/// A bar of its share, and the two numbers.
void TimelineTotals::draw_memory(QPainter& painter, Row const& row) const {
  Timeline::Counter const& memory = focus_.current()->timeline().counters[size_t(row.counter)];
  QString words = memory_words(row);
  QFont font = mono_font(11);
  double numbers = QFontMetricsF(font).horizontalAdvance(words) + 6;
  double name = std::min(110.0, std::max(50.0, unit_width() * 0.28));
  bool chosen = row.counter == focus_.memory();
  paint::text(painter, QRectF(kInset, row.y, name - 6, kRow), ui_font(12, chosen ? 600 : 400),
              chosen ? theme_.text1 : theme_.text2,
              QFontMetricsF(ui_font(12, 600)).elidedText(row.name, Qt::ElideRight, name - 8));
  QRectF track(kInset + name, row.y + 7, unit_width() - 2 * kInset - name - numbers - 6, 8);
  if (track.width() > 16) {
    double share = memory.capacity > 0 ? double(focus_.current()->index().peak_of(row.counter)) /
                                             double(memory.capacity)
                                       : 1;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.control);
    painter.drawRoundedRect(track, 3, 3);
    painter.setBrush(share > 1 ? theme_.error : Theme::mix(theme_.hue(1), theme_.inset, 0.8));
    painter.drawRoundedRect(
        QRectF(track.topLeft(), QSizeF(track.width() * std::min(1.0, share), 8)), 3, 3);
  }
  paint::text(painter, QRectF(unit_width() - kInset - numbers, row.y, numbers, kRow), font,
              theme_.text2, words, Qt::AlignRight | Qt::AlignVCenter);
}

void TimelineTotals::mousePressEvent(QMouseEvent* event) {
  event->ignore();
  for (Row const& row : rows_)
    if (row.counter >= 0 && event->position().y() >= row.y && event->position().y() < row.y + kRow)
      return emit memory_asked(row.counter);
}

std::vector<Part> TimelineTotals::parts() const {
  std::vector<Part> parts;
  for (Row const& row : rows_) {
    QString words = row.name;
    QStringList numbers;
    for (auto const& cycles : row.cycles)
      numbers << (cycles ? grouped(*cycles) + " cycles" : QString("none"));
    if (!numbers.isEmpty()) words += ": " + numbers.join(", ");
    if (row.counter >= 0) words += ": at most " + memory_words(row);
    parts.push_back({QRectF(0, row.y, unit_width(), kRow), words,
                     row.counter >= 0 && row.counter == focus_.memory()});
  }
  return parts;
}

}  // namespace tw
