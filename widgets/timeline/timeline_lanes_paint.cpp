// SPDX-License-Identifier: GPL-3.0-or-later
// How lanes look.
#include <QPaintEvent>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/timeline/step_area.h"
#include "widgets/timeline/timeline_lanes.h"

namespace tw {

using namespace timeline_metrics;
using session::TimelineIndex;

namespace {

constexpr double kNarrow = 2;  ///< a block below that is part of a column
constexpr size_t kMostTokens = 500;

QString text_of(std::string const& text) { return QString::fromStdString(text); }

/// "−12 %".
QString change_text(double change) {
  return (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
         text_of(percent_text(std::abs(change)));
}

/// "GEMM busy 91 %".
QString busy_words(TimelineRun const& run) {
  session::TimelineTotal const* most = nullptr;
  for (session::TimelineTotal const& row : run.state->totals)
    if (row.kind >= 0 && !run.timeline().kinds[size_t(row.kind)].stall &&
        (!most || row.cycles > most->cycles))
      most = &row;
  if (!most || run.timeline().cycles == 0) return {};
  return QStringLiteral(" · ") + text_of(run.timeline().kinds[size_t(most->kind)].name) + " busy " +
         text_of(percent_text(double(most->cycles) / double(run.timeline().cycles)));
}

/// Where something is left out, ends do not show what a run saves: words do.
QString change_words(TimelineFocus const& focus, int run) {
  if (run == 0) return {};
  int64_t before = all_cycles(focus.runs()[0].timeline()),
          after = all_cycles(focus.runs()[size_t(run)].timeline());
  if (before <= 0 || before == after) return {};
  return QStringLiteral(" · ") + change_text(double(after) / double(before) - 1);
}

}  // namespace

void TimelineLanes::paintEvent(QPaintEvent* event) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  QRectF open(QPointF(event->rect().topLeft()) / unit(), QSizeF(event->rect().size()) / unit());
  for (int run = 0; run <= focus_.current_number(); ++run)
    if (QRectF(0, layout().top_of(run), unit_width(),
               layout().height_of(focus_.runs()[size_t(run)]))
            .intersects(open))
      draw_run(painter, run);
  draw_ends(painter);
  draw_selection(painter);
}

void TimelineLanes::draw_run(QPainter& painter, int run) const {
  draw_title(painter, run);
  draw_grid(painter, run);
  TimelineScale at = layout().scale();
  painter.save();
  QRectF room(at.left, layout().top_of(run), at.width,
              layout().height_of(focus_.runs()[size_t(run)]));
  painter.setClipRect(room);
  for (int lane = 0; lane < int(focus_.runs()[size_t(run)].timeline().lanes.size()); ++lane)
    draw_lane(painter, run, lane);
  draw_cuts(painter, run);
  draw_tokens(painter, run);
  painter.restore();
  draw_memory(painter, run);
}

void TimelineLanes::draw_title(QPainter& painter, int run) const {
  double y = layout().top_of(run);
  if (run > 0) {
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(0, y + 0.5), QPointF(unit_width(), y + 0.5));
  }
  TimelineRun const& of = focus_.runs()[size_t(run)];
  QFont font = ui_font(13, 600);
  double most = std::max(60.0, unit_width() - 24);
  double wide = std::min(QFontMetricsF(font).horizontalAdvance(of.name) + 2, most);
  paint::text(painter, QRectF(16, y + 7, wide, 20), font, theme_.text1, of.name);
  double rest = unit_width() - kRight - 16 - wide - 12;
  QFont small = ui_font(11.5);
  QString busy = of.timeline().cuts.empty() ? busy_words(of) : change_words(focus_, run);
  for (QString const& words :
       {time_words(of) + busy, time_words(of), cycles_words(of.timeline())}) {
    if (QFontMetricsF(small).horizontalAdvance(words) > rest) continue;
    return paint::text(painter, QRectF(16 + wide + 12, y + 8, rest, 19), small, theme_.text2,
                       words);
  }
}

void TimelineLanes::draw_grid(QPainter& painter, int run) const {
  TimelineScale at = layout().scale();
  auto const& lanes = focus_.runs()[size_t(run)].timeline().lanes;
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    QRectF rect = layout().lane_rect(run, int(lane));
    painter.fillRect(QRectF(at.left, rect.top(), at.width, rect.height()), theme_.inset);
    paint::text(painter, QRectF(16, rect.top(), at.left - 24, rect.height()), ui_font(12),
                theme_.text2, text_of(lanes[lane].name));
  }
  double bottom = layout().lane_rect(run, int(lanes.size())).top() - kGap;
  painter.setPen(QPen(theme_.line1, 1));
  for (TimelineScale::Tick const& tick : at.ticks(64)) {
    double x = std::floor(tick.x) + 0.5;
    painter.drawLine(QPointF(x, layout().top_of(run) + kTitle), QPointF(x, bottom));
  }
}

// ---- one lane --------------------------------------------------------------------------------

/// Wide blocks one by one; runs of narrow ones as columns.
void TimelineLanes::draw_lane(QPainter& painter, int run, int lane) const {
  TimelineRun const& of = focus_.runs()[size_t(run)];
  TimelineScale at = layout().scale();
  auto seen = of.index().seen(lane, int64_t(std::floor(at.from)), int64_t(std::ceil(at.to)));
  if (seen.size() > size_t(at.width / 2))
    return draw_columns(painter, run, lane, at.left, at.right());
  double begin = -1, end = -1;  // of a run of narrow ones
  auto flush = [&] {
    if (end > begin) draw_columns(painter, run, lane, begin, end);
    begin = end = -1;
  };
  for (int32_t i : seen) {
    Timeline::Span const& span = of.timeline().spans[size_t(i)];
    double left = at.x(double(span.begin)), right = at.x(double(span.end));
    bool narrow = right - left < kNarrow;
    if (begin >= 0 && (!narrow || left > end + kNarrow)) flush();
    if (!narrow) {
      draw_span(painter, run, i);
    } else {
      if (begin < 0) begin = left;
      end = std::max(right, begin + 0.01);
    }
  }
  flush();
}

void TimelineLanes::draw_span(QPainter& painter, int run, int number) const {
  Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
  Timeline::Span const& span = timeline.spans[size_t(number)];
  Timeline::Kind const& kind = timeline.kinds[size_t(span.kind)];
  QRectF rect = layout().span_rect(run, number);
  // Waiting is lower than work, but where one looks for it first.
  bool low = kind.stall && kind.hue != "amber";
  double less = std::min(6.0, rect.height() / 4);
  QRectF shape = low ? rect.adjusted(0, less, 0, -less) : rect;
  hues_.block(painter, shape, kind);
  if (is_lit(focus_.runs()[size_t(run)], span.instruction))
    painter.fillRect(QRectF(rect.left(), rect.bottom() + 0.5, rect.width(), 2), theme_.ink);
  if (rect.width() < 10 || rect.height() < kThin) return;  // too small for any words
  QString words = kind.stall              ? text_of(kind.letter)
                  : span.instruction >= 0 ? QString::number(span.instruction)
                                          : QString();
  QFont font = mono_font(11, 600);
  QRectF shown =
      shape & QRectF(layout().scale().left, 0, layout().scale().width, unit_rect().bottom());
  double wide = QFontMetricsF(font).horizontalAdvance(words);
  if (words.isEmpty() || wide + 6 > shown.width()) return;
  QRectF box(shown.center().x() - wide / 2 - 2, shape.top(), wide + 4, shape.height());
  if (kind.stall || kind.hatched)  // a plate, so that it can be read on a hatch
    painter.fillRect(box.adjusted(0, shape.height() / 2 - 8, 0, 8 - shape.height() / 2),
                     hues_.fill(kind));
  paint::text(painter, box, font, hues_.ink_on(kind), words, Qt::AlignCenter);
}

/// Each column as high as the share of its cycles that a kind takes, one above the other.
void TimelineLanes::draw_columns(QPainter& painter, int run, int lane, double from,
                                 double to) const {
  TimelineRun const& of = focus_.runs()[size_t(run)];
  TimelineScale at = layout().scale();
  std::vector<int32_t> const& kinds = of.index().kinds_of(lane);
  // Straight edges: smooth ones would cost more than all that is between them.
  painter.setRenderHint(QPainter::Antialiasing, false);
  bool single = to - from < 3;  // a thin mark stays visible however far away it is
  double wide = single ? 3 : 2;
  from = std::max(from, at.left), to = std::min(to, at.right());
  std::vector<int64_t> before, after;
  QRectF rect = layout().lane_rect(run, lane).adjusted(0, 2, 0, -2);
  of.index().spent_before(lane, int64_t(std::llround(at.cycle(from))), before);
  for (double x = from; x < to; x += wide) {
    double right = std::min(x + wide, std::max(to, x + 0.01));
    int64_t first = std::llround(at.cycle(x)),
            last = std::max(first + 1, int64_t(std::llround(at.cycle(right))));
    of.index().spent_before(lane, last, after);
    double bottom = rect.bottom(), all = single ? 0 : double(last - first);
    if (single)
      for (size_t k = 0; k < kinds.size(); ++k) all += double(after[k] - before[k]);
    for (size_t k = 0; k < kinds.size() && all > 0; ++k) {
      double high = rect.height() * std::min(1.0, double(after[k] - before[k]) / all);
      if (high < 0.05) continue;
      painter.fillRect(QRectF(x, bottom - high, single ? 1.5 : right - x, high),
                       hues_.mark(of.timeline().kinds[size_t(kinds[k])]));
      bottom -= high;
    }
    std::swap(before, after);
  }
  painter.setRenderHint(QPainter::Antialiasing);
}

bool TimelineLanes::is_lit(TimelineRun const& run, int32_t instruction) const {
  if (focus_.lit_loop() < 0 || instruction < 0) return false;
  int32_t line = run.timeline().instructions[size_t(instruction)].line;
  if (line < 1 || size_t(line) > run.state->lines.size()) return false;
  session::CodeLine const& code = run.state->lines[size_t(line) - 1];
  return std::ranges::find(code.loops, focus_.lit_loop()) != code.loops.end();
}

/// A tear through all lanes, and below it what is not there.
void TimelineLanes::draw_cuts(QPainter& painter, int run) const {
  Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
  TimelineScale at = layout().scale();
  double top = layout().lane_rect(run, 0).top() - 3,
         bottom = layout().lane_rect(run, int(timeline.lanes.size())).top() - kGap + 3;
  QFont font = ui_font(11);
  double free = at.left;  // words stand side by side
  for (Timeline::Cut const& cut : timeline.cuts) {
    double x = at.x(double(cut.at));
    if (x < at.left - 4 || x > at.right() + 4) continue;
    painter.fillRect(QRectF(x - 3, top, 6, bottom - top), theme_.panel);
    QPen pen(theme_.text2, 1);
    pen.setDashPattern({5, 3});
    painter.setPen(pen);
    for (double side : {x - 3, x + 3}) painter.drawLine(QPointF(side, top), QPointF(side, bottom));
    QString words = cut_words(cut);
    double wide = QFontMetricsF(font).horizontalAdvance(words) + 8;
    double left = std::clamp(x - wide / 2, free, std::max(free, at.right() - wide));
    if (left + wide > at.right() + 1) continue;
    paint::text(painter, QRectF(left, bottom, wide, kCut - 4), font, theme_.text2, words,
                Qt::AlignCenter);
    free = left + wide + 8;
  }
}

// ---- tokens ----------------------------------------------------------------------------------

void TimelineLanes::draw_tokens(QPainter& painter, int run) const {
  TimelineIndex const& index = focus_.runs()[size_t(run)].index();
  for (int32_t token :
       index.tokens_between(int64_t(focus_.from()), int64_t(std::ceil(focus_.to())), kMostTokens))
    draw_token(painter, run, token, false);
  if (focus_.chosen_run() != run || focus_.instruction() < 0) return;
  for (auto tokens : {index.taken_by(focus_.instruction()), index.put_by(focus_.instruction())})
    for (int32_t token : tokens.first(std::min<size_t>(tokens.size(), kMostTokens)))
      draw_token(painter, run, token, true);
}

/// From the end of who put it to the begin of who took it, a dot where it comes from.
void TimelineLanes::draw_token(QPainter& painter, int run, int number, bool selected) const {
  Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
  Timeline::Token const& token = timeline.tokens[size_t(number)];
  if (token.from < 0 || token.to < 0) return;
  int from = timeline.instructions[size_t(token.from)].lane,
      to = timeline.instructions[size_t(token.to)].lane;
  QRectF begin = layout().lane_rect(run, from), end = layout().lane_rect(run, to);
  bool down = to > from;
  TimelineScale at = layout().scale();
  QPointF dot(at.x(double(token.pushed)), down ? begin.bottom() + 1 : begin.top() - 1);
  QPointF tip(at.x(double(token.popped)), down ? end.top() + 2 : end.bottom() - 2);
  QColor colour = selected ? theme_.ink : theme_.text3;
  painter.setPen(QPen(colour, selected ? 2 : 1));
  painter.drawLine(dot, tip);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(dot, selected ? 3 : 2, selected ? 3 : 2);
}

// ---- memory ----------------------------------------------------------------------------------

/// How full the chosen memory is, as steps; what it holds at most is dashed.
void TimelineLanes::draw_memory(QPainter& painter, int run) const {
  TimelineRun const& of = focus_.runs()[size_t(run)];
  int counter = focus_.memory_in(of);
  if (counter < 0) return;
  Timeline::Counter const& memory = of.timeline().counters[size_t(counter)];
  TimelineScale at = layout().scale();
  QRectF area(at.left, layout().memory_top(run), at.width, kMemory);
  painter.fillRect(area, theme_.inset);
  QFont font = ui_font(12);
  paint::text(painter, QRectF(16, area.top() + 6, at.left - 22, 18), font, theme_.text2,
              QFontMetricsF(font).elidedText(text_of(memory.name), Qt::ElideRight, at.left - 24));
  paint::text(painter, QRectF(16, area.top() + 23, at.left - 24, 16), ui_font(11), theme_.text3,
              "in use");
  QColor hue = theme_.hue(1);
  StepArea steps{of.index(),
                 counter,
                 at,
                 area.adjusted(0, 4, 0, 0),
                 std::max<int64_t>({memory.capacity, of.index().peak_of(counter), 1}),
                 hue,
                 Theme::mix(hue, theme_.inset, 0.3)};
  steps.draw(painter);
  if (memory.capacity > 0) draw_capacity(painter, area, memory, steps.y(double(memory.capacity)));
}

void TimelineLanes::draw_capacity(QPainter& painter, QRectF const& area,
                                  Timeline::Counter const& memory, double y) const {
  QPen dashed(theme_.text2, 1);
  dashed.setDashPattern({3, 2});
  painter.setPen(dashed);
  double top = std::floor(y) + 0.5;
  painter.drawLine(QPointF(area.left(), top), QPointF(area.right(), top));
  QString words = memory.unit == "bytes" ? paint::bytes(memory.capacity)
                                         : grouped(memory.capacity) + " " + text_of(memory.unit);
  QFont font = mono_font(11);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 8;
  QRectF box(area.right() - wide, top + 1, wide, 16);
  painter.fillRect(box, theme_.inset);
  paint::text(painter, box, font, theme_.text3, words, Qt::AlignCenter);
}

// ---- above all lanes -------------------------------------------------------------------------

/// Where each run ends, what that saves, and the cycle that one stands at.
void TimelineLanes::draw_ends(QPainter& painter) const {
  TimelineScale at = layout().scale();
  for (int run = 0; run <= focus_.current_number(); ++run) {
    Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
    double top = layout().lane_rect(run, 0).top() - 4,
           bottom = layout().lane_rect(run, int(timeline.lanes.size())).top() - kGap + 4;
    double x = at.x(double(timeline.cycles));
    if (x <= at.right() + 1) {
      painter.setPen(QPen(theme_.ink, 2));
      painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    }
    double here = at.x(double(focus_.cursor()));
    if (here < at.left - 1 || here > at.right() + 1 || focus_.cursor() > timeline.cycles) continue;
    QPen pen(theme_.ink, 1);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(here, top), QPointF(here, bottom));
  }
  draw_saving(painter);
}

void TimelineLanes::draw_saving(QPainter& painter) const {
  if (focus_.runs().size() != 2) return;
  Timeline const &before = focus_.runs()[0].timeline(), &after = focus_.runs()[1].timeline();
  if (before.cycles <= 0 || before.cycles == after.cycles) return;
  if (!before.cuts.empty() || !after.cuts.empty()) return;  // the title says it
  TimelineScale at = layout().scale();
  double from = at.x(double(before.cycles)), to = at.x(double(after.cycles));
  int shorter = after.cycles < before.cycles ? 1 : 0;
  QRectF lane =
      layout().lane_rect(shorter, int(focus_.runs()[size_t(shorter)].timeline().lanes.size()) / 2);
  double y = lane.center().y(), left = std::min(from, to), right = std::max(from, to);
  double change = double(after.cycles) / double(before.cycles) - 1;
  QString words = change_text(change);
  QFont font = ui_font(12, 600);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 10;
  if (left > at.right() || right > at.right() + 1 || right - left < wide + 4) return;
  painter.setPen(QPen(theme_.ink, 1.5));
  painter.drawLine(QPointF(left + 4, y), QPointF(right - 1, y));
  double tip = to < from ? left + 4 : right - 1, back = to < from ? 7 : -7,
         foot = to < from ? right - 1 : left + 4;
  painter.drawLine(QPointF(tip, y), QPointF(tip + back, y - 5));
  painter.drawLine(QPointF(tip, y), QPointF(tip + back, y + 5));
  painter.drawLine(QPointF(foot, y - 6), QPointF(foot, y + 6));
  QRectF box((left + right) / 2 - wide / 2, y - 20, wide, 16);
  painter.fillRect(box, theme_.inset);
  paint::text(painter, box, font, theme_.text1, words, Qt::AlignCenter);
}

void TimelineLanes::draw_selection(QPainter& painter) const {
  TimelineScale at = layout().scale();
  painter.save();
  painter.setClipRect(QRectF(at.left - 3, 0, at.width + 6, unit_height()));
  auto ring = [&](int run, int32_t instruction, QColor const& colour) {
    Timeline const& timeline = focus_.runs()[size_t(run)].timeline();
    auto spans = focus_.runs()[size_t(run)].index().spans_of(instruction);
    for (int32_t span : spans.first(std::min<size_t>(spans.size(), 64))) {
      QRectF rect = layout().span_rect(run, span);
      if (rect.right() < at.left || rect.left() > at.right()) continue;
      // Its work in its own lane before what it waited for.
      Timeline::Span const& of = timeline.spans[size_t(span)];
      bool work = !timeline.kinds[size_t(of.kind)].stall &&
                  of.lane == timeline.instructions[size_t(instruction)].lane;
      painter.setPen(QPen(colour, work ? 2 : 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), 4, 4);
    }
  };
  for (int32_t one : focus_.marked())
    if (one != focus_.instruction()) ring(focus_.current_number(), one, theme_.error);
  if (focus_.chosen_run() >= 0 && focus_.instruction() >= 0)
    ring(focus_.chosen_run(), focus_.instruction(), theme_.ink);
  painter.restore();
}

}  // namespace tw
