// SPDX-License-Identifier: GPL-3.0-or-later
// How the code view draws its lines.
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <set>

#include "engine/session/facts/loop_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/code/code_metrics.h"
#include "widgets/code/code_view.h"
#include "widgets/code/wrapping.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/letters.h"

namespace tw {

using session::CodeLine;
using session::LineChange;

namespace {

constexpr int kLine = kCodeLine;

bool is_keyword(QStringView word) {
  static std::set<QString> const kWords{
      "block",   "alloc",  "if",  "else",    "init",   "let",  "in",     "reduce",
      "ordered", "opaque", "op",  "program", "kernel", "host", "device", "tilewright",
      "size",    "select", "sum", "max",     "min",    "prod", "ramp",   "broadcast",
      "te",      "define", "br",  "load",    "store",  "phi",  "ret",    "call"};
  auto is_word = [&](std::string_view one) { return word == QLatin1StringView(one); };
  return kWords.count(word.toString()) > 0 ||
         std::ranges::any_of(session::loop_keywords(), is_word);
}

bool starts_word(QChar c) { return c.isLetter() || c == '_'; }
bool continues_word(QChar c) { return c.isLetterOrNumber() || c == '_' || c == '.'; }

bool is_in(CodeLine const& line, int loop) {
  return line.loop == loop || std::ranges::find(line.loops, loop) != line.loops.end();
}

/// Where a word of a line ends, or what stands between two.
int part_end(QString const& text, int begin) {
  bool word = starts_word(text[begin]);
  int end = begin;
  while (end < text.size() && (word ? continues_word(text[end]) : !starts_word(text[end]))) ++end;
  return end;
}

int hue_of(session::NestView const* nest, int loop) {
  if (nest)
    for (session::LoopBar const& bar : nest->bars)
      if (bar.id == loop) return bar.hue;
  return -1;
}

QColor tint_of(Theme const& theme, LineChange change) {
  if (change == LineChange::kAdded) return Theme::mix(theme.added, theme.inset, 0.16);
  if (change == LineChange::kRemoved) return Theme::mix(theme.removed, theme.inset, 0.15);
  bool moved = change == LineChange::kMovedUp || change == LineChange::kMovedDown;
  return moved ? Theme::mix(theme.moved, theme.inset, 0.14) : QColor();
}

/// A hollow bar, since it is modelled, as long as the line is hot, and its cycles; or as long as
/// its share of the time, and that.
void draw_heat(QPainter& painter, Theme const& theme, LineNote const& note, double y) {
  if (note.hot) painter.fillRect(QRectF(kCodeGutter - 14, y, 2, kLine), theme.ink);
  bool shared = note.share >= 0;
  if (note.cycles < 0 && !shared) return;
  constexpr double kBar = 28;
  double heat = shared ? note.share : note.heat;
  QRectF bar(kCodeGutter - 5.5, y + 5.5, std::max(4.0, kBar * heat), kLine - 11);
  painter.setPen(QPen(theme.text2, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(bar, 2, 2);
  paint::text(painter, QRectF(kCodeGutter + 20, y, 42, kLine), mono_font(11), theme.text2,
              shared ? QString::fromStdString(percent_text(note.share))
                     : QString::number(note.cycles, 'f', 2),
              Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace

int CodeView::gutter() const {
  bool heat = notes_ && std::ranges::any_of(*notes_, [](auto& note) {
                return note.cycles >= 0 || note.share >= 0;
              });
  return kCodeGutter + (heat ? kHeatWidth : 0);
}

void CodeView::paintEvent(QPaintEvent*) {
  UnitPainter painter(viewport(), theme_.scale);
  painter.fillRect(QRect({0, 0}, room() + QSize(1, 1)), theme_.inset);
  QRectF words(16, 16, room().width() - 32, 24);
  if (!text_ && !nest_)
    return paint::text(painter, words, ui_font(12), theme_.text2,
                       "Select a kernel to see its code.");
  if (!text_) return;
  if (!text_->failure.empty())
    return paint::text(painter, words, ui_font(12), theme_.error,
                       QString::fromStdString(text_->failure));
  if (stale_) painter.setOpacity(0.6);
  int top = verticalScrollBar()->value();
  int first = std::max(0, line_at(QPoint(0, 0)));
  for (int i = first; i < int(text_->lines.size()); ++i) {
    int y = first_row(i) * kLine + 8 - top;
    if (y > room().height()) return;
    draw_line(painter, i, y);
  }
}

/// What a line's change is stays to be seen below the selection.
void CodeView::draw_ground(QPainter& painter, CodeLine const& line, QRectF const& row) const {
  QColor tint = tint_of(theme_, line.change);
  if (tint.isValid()) painter.fillRect(row, tint);
  if (line.barrier) {  // all threads meet there: a line across
    painter.fillRect(row, Theme::mix(theme_.ink, theme_.inset, 0.10));
    painter.fillRect(QRectF(gutter() - 8, row.y(), 3, row.height()), theme_.ink);
  }
  int lit = selection_.lit();
  if (lit < 0 || !is_in(line, lit)) return;
  int hue = hue_of(nest_.get(), lit);
  QColor colour = hue >= 0 ? theme_.hue(hue) : theme_.line3;
  double share = line.loop == lit ? 0.30 : 0.12;
  painter.fillRect(row, tint.isValid() ? Theme::mix(colour, tint, share / 2)
                                       : Theme::mix(colour, theme_.inset, share));
  painter.fillRect(QRectF(0, row.y(), 4, row.height()), colour);
}

void CodeView::draw_gutter(QPainter& painter, int index, double y) const {
  static QString const kMarks[] = {"", "+", QStringLiteral("−"), QStringLiteral("↑"),
                                   QStringLiteral("↓")};
  CodeLine const& line = text_->lines[size_t(index)];
  LineNote const* note = notes_ ? &(*notes_)[size_t(index)] : nullptr;
  int number = note && note->number > 0 ? note->number : numbers_[size_t(index)];
  bool other_text = note && note->number == 0;  // its number there would say nothing here
  if (!other_text)
    paint::text(painter, QRectF(4, y, 32, kLine), mono_font(11),
                tint_of(theme_, line.change).isValid() ? theme_.text2 : theme_.text3,
                QString::number(number), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(40, y, 14, kLine), mono_font(12, 600), theme_.text1,
              kMarks[size_t(line.change)]);
  if (note) draw_heat(painter, theme_, *note, y);
}

void CodeView::draw_line(QPainter& painter, int index, double y) const {
  CodeLine const& line = text_->lines[size_t(index)];
  int rows = wrap_ ? rows_[size_t(index) + 1] - rows_[size_t(index)] : 1;
  QRectF row(0, y, room().width(), kLine * rows);
  if (line.change == LineChange::kGap)  // only the other text has lines here
    return painter.fillRect(row, Theme::mix(theme_.line1, theme_.inset, 0.45));
  draw_ground(painter, line, row);
  draw_gutter(painter, index, y);
  bool listing = is_of_target(text_->kind);
  // Instructions have no indent that shows their loop: a mark in its colour does.
  int innermost = listing && !line.loops.empty() ? hue_of(nest_.get(), line.loops.back()) : -1;
  if (innermost >= 0)
    painter.fillRect(QRectF(gutter() - 8, y + 3, 3, row.height() - 6), theme_.hue(innermost));
  if (index == current_ && hasFocus())
    paint::focus_ring(painter, row.adjusted(4, 2, -6, -2), theme_, 3);
  painter.save();
  painter.setClipRect(QRectF(gutter(), y, room().width() - gutter(), row.height()));
  double x = gutter() - horizontalScrollBar()->value();
  double letter = QFontMetricsF(mono_font(12)).horizontalAdvance('x');
  for (size_t depth = 0; depth < line.loops.size(); ++depth) {
    if (line.loop >= 0 && depth + 1 == line.loops.size()) continue;
    int hue = hue_of(nest_.get(), line.loops[depth]);
    if (hue >= 0 && !listing)
      painter.fillRect(QRectF(x + letter * double(2 * (depth + 1)) + 2, y, 1.5, row.height()),
                       Theme::mix(theme_.hue(hue), theme_.inset, 0.55));
  }
  draw_words(painter, line, QPointF(x, y));
  if (!guilty_.empty() && is_in(line, guilty_loop_)) draw_guilty(painter, line, QPointF(x, y));
  painter.restore();
}

/// Each use of the tensor in an assignment; where it is set up nothing is carried.
void CodeView::draw_guilty(QPainter& painter, CodeLine const& line, QPointF at) const {
  bool sets_up = std::string_view(line.text)
                     .substr(std::min(line.text.find_first_not_of(' '), line.text.size()))
                     .starts_with("init ");
  if (sets_up || line.text.find(" = ") == std::string::npos) return;
  double letter = QFontMetricsF(mono_font(12)).horizontalAdvance('x');
  painter.setPen(QPen(theme_.error, 1.4));
  std::vector<int> starts{0};
  if (wrap_) starts = row_starts(QString::fromStdString(line.text), columns());
  for (size_t from = line.text.find(guilty_ + "["); from != std::string::npos;
       from = line.text.find(guilty_ + "[", from + 1)) {
    if (from > 0 && continues_word(QChar(line.text[from - 1]))) continue;
    int end = int(std::min(line.text.find(']', from), line.text.size() - 1)) + 1;
    for (size_t row = 0; row < starts.size(); ++row) {
      int begin = std::max(int(from), starts[row]);
      int stop = row + 1 < starts.size() ? std::min(end, starts[row + 1]) : end;
      double x0 = at.x() + letter * (row > 0 ? kWrapIndent - starts[row] : 0);
      QPolygonF wave;
      for (double x = x0 + letter * begin, up = 1; x < x0 + letter * stop; x += 3, up = -up)
        wave << QPointF(x, at.y() + kLine * double(row + 1) - 2.5 + up);
      if (begin < stop) painter.drawPolyline(wave);
    }
  }
}

void CodeView::draw_words(QPainter& painter, CodeLine const& line, QPointF at) const {
  QString text = QString::fromStdString(line.text);
  QFont plain = mono_font(12), strong = mono_font(12, 600);
  plain.setStrikeOut(line.change == LineChange::kRemoved);
  double letter = QFontMetricsF(plain).horizontalAdvance('x');
  std::vector<int> starts{0};
  if (wrap_) starts = row_starts(text, columns());
  for (int i = 0; i < text.size();) {
    size_t row = size_t(std::ranges::upper_bound(starts, i) - starts.begin()) - 1;
    int row_end = row + 1 < starts.size() ? starts[row + 1] : int(text.size());
    int end = std::min(part_end(text, i), row_end);
    bool word = starts_word(text[i]);
    QString part = text.mid(i, end - i);
    int column = i - starts[row] + (row > 0 ? kWrapIndent : 0);
    QRectF box(at.x() + letter * column, at.y() + kLine * double(row), letter * part.size() + 2,
               kLine);
    if (word && nest_)
      for (session::LoopBar const& bar : nest_->bars)
        if (part == QString::fromStdString(bar.name) &&
            std::ranges::find(line.loops, bar.id) != line.loops.end()) {
          painter.setPen(Qt::NoPen);
          painter.setBrush(Theme::mix(theme_.hue(bar.hue), theme_.inset, 0.28));
          painter.drawRoundedRect(box.adjusted(-2, 2, 0, -2), 3, 3);
          break;
        }
    bool keyword = word && is_keyword(part);
    if (word && !line.call.empty() && part == QString::fromStdString(line.call)) {
      painter.setPen(QPen(theme_.ink, 1));
      painter.setBrush(Theme::mix(theme_.ink, theme_.inset, 0.12));
      painter.drawRoundedRect(box.adjusted(-2, 2, 0, -2), 3, 3);
    }
    // A memory and an axis: where something lives, and who runs it.
    bool place =
        word && i > 0 && (text[i - 1] == '@' || QStringView(text).first(i).endsWith(u"bind("));
    plain.setStrikeOut(line.change == LineChange::kRemoved && !part.trimmed().isEmpty());
    painter.setFont(keyword || place ? strong : plain);
    painter.setPen(keyword ? theme_.text2 : theme_.text1);
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     paint::letters(painter, part));
    i = end;
  }
}

}  // namespace tw
