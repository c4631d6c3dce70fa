// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_view.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/session/facts/loop_words.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/letters.h"

namespace tw {

using session::CodeLine;
using session::LineChange;

namespace {

constexpr int kLine = 20, kGutter = 56;

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

}  // namespace

CodeView::CodeView(Selection& selection, QWidget* parent)
    : QAbstractScrollArea(parent), selection_(selection) {
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("code");
  setAccessibleName("Code");
  connect(&selection_, &Selection::changed, this, [this] {
    show_selected();
    viewport()->update();
  });
}

void CodeView::set_theme(Theme const& theme) {
  theme_ = theme;
  update_bars();
  viewport()->update();
}

void CodeView::show_text(std::shared_ptr<session::CodeText const> text,
                         std::shared_ptr<session::NestView const> nest) {
  nest_ = std::move(nest);
  stale_ = !text;
  if (text && text != text_) {
    text_ = std::move(text);
    widest_ = 0;
    numbers_.clear();
    for (CodeLine const& line : text_->lines) {
      widest_ = std::max(widest_, int(line.text.size()));
      numbers_.push_back((numbers_.empty() ? 0 : numbers_.back()) +
                         (line.change != LineChange::kGap));
    }
    update_bars();
    scrolled_to_ = -1;
    show_selected();
  }
  viewport()->update();
}

/// A loop that was selected elsewhere comes into view; hovering moves nothing.
void CodeView::show_selected() {
  if (!text_ || selection_.loop() == scrolled_to_ || underMouse()) return;
  scrolled_to_ = selection_.loop();
  for (size_t i = 0; i < text_->lines.size(); ++i) {
    auto const& loops = text_->lines[i].loops;
    if (std::find(loops.begin(), loops.end(), scrolled_to_) == loops.end()) continue;
    int top = verticalScrollBar()->value(), y = int(i) * kLine;
    bool seen = y >= top && y + 6 * kLine < top + room().height();
    if (!seen) verticalScrollBar()->setValue(std::max(0, y - 3 * kLine));
    return;
  }
}

void CodeView::bring_changes_into_sight() {
  int first = -1, top = verticalScrollBar()->value();
  for (size_t i = 0; text_ && i < text_->lines.size(); ++i) {
    LineChange change = text_->lines[i].change;
    if (change == LineChange::kSame || change == LineChange::kGap) continue;
    int y = int(i) * kLine;
    if (y >= top && y + 2 * kLine < top + room().height()) return;
    if (first < 0) first = y;
  }
  if (first >= 0) verticalScrollBar()->setValue(std::max(0, first - 3 * kLine));
}

void CodeView::update_bars() {
  int lines = text_ ? int(text_->lines.size()) : 0;
  // A letter is no whole number of pixels wide: what that leaves out adds up in a long line.
  int widest = int(std::ceil(widest_ * QFontMetricsF(mono_font(12)).horizontalAdvance('x')));
  verticalScrollBar()->setRange(0, std::max(0, lines * kLine + 24 - room().height()));
  verticalScrollBar()->setSingleStep(kLine);
  verticalScrollBar()->setPageStep(room().height());
  horizontalScrollBar()->setRange(0, std::max(0, widest + kGutter + 24 - room().width()));
  horizontalScrollBar()->setPageStep(room().width());
}

void CodeView::resizeEvent(QResizeEvent*) { update_bars(); }

int CodeView::hue_of(int loop) const {
  if (nest_)
    for (session::LoopBar const& bar : nest_->bars)
      if (bar.id == loop) return bar.hue;
  return -1;
}

void CodeView::paintEvent(QPaintEvent*) {
  UnitPainter painter(viewport(), theme_.scale);
  painter.fillRect(QRect({0, 0}, room() + QSize(1, 1)), theme_.inset);
  if (!text_ && !nest_)
    return paint::text(painter, QRectF(16, 16, room().width() - 32, 24), ui_font(12), theme_.text2,
                       "The code of a kernel appears here.");
  if (!text_) return;
  if (!text_->failure.empty())
    return paint::text(painter, QRectF(16, 16, room().width() - 32, 24), ui_font(12), theme_.error,
                       QString::fromStdString(text_->failure));
  if (stale_) painter.setOpacity(0.6);
  int top = verticalScrollBar()->value();
  int first = std::max(0, (top - 8) / kLine),
      last = std::min(int(text_->lines.size()) - 1, (top + room().height()) / kLine);
  for (int i = first; i <= last; ++i) draw_line(painter, i, i * kLine + 8 - top);
}

void CodeView::draw_line(QPainter& painter, int index, double y) const {
  CodeLine const& line = text_->lines[size_t(index)];
  QRectF row(0, y, room().width(), kLine);
  if (line.change == LineChange::kGap)  // only the other text has lines here
    return painter.fillRect(row, Theme::mix(theme_.line1, theme_.inset, 0.45));
  QColor tint;
  if (line.change == LineChange::kAdded) tint = Theme::mix(theme_.added, theme_.inset, 0.16);
  if (line.change == LineChange::kRemoved) tint = Theme::mix(theme_.removed, theme_.inset, 0.15);
  if (line.change == LineChange::kMovedUp || line.change == LineChange::kMovedDown)
    tint = Theme::mix(theme_.moved, theme_.inset, 0.14);
  if (tint.isValid()) painter.fillRect(row, tint);
  if (line.barrier) {  // all threads meet there: a line across
    painter.fillRect(row, Theme::mix(theme_.ink, theme_.inset, 0.10));
    painter.fillRect(QRectF(kGutter - 8, y, 3, kLine), theme_.ink);
  }
  int lit = selection_.lit();
  bool linked = lit >= 0 && (line.loop == lit ||
                             (!line.loops.empty() && std::find(line.loops.begin(), line.loops.end(),
                                                               lit) != line.loops.end()));
  if (linked) {
    int hue = hue_of(lit);
    QColor colour = hue >= 0 ? theme_.hue(hue) : theme_.line3;
    // What a line's change is stays to be seen below the selection.
    double share = line.loop == lit ? 0.30 : 0.12;
    painter.fillRect(row, tint.isValid() ? Theme::mix(colour, tint, share / 2)
                                         : Theme::mix(colour, theme_.inset, share));
    painter.fillRect(QRectF(0, y, 4, kLine), colour);
  }
  static QString const kMarks[] = {"", "+", QStringLiteral("−"), QStringLiteral("↑"),
                                   QStringLiteral("↓")};
  paint::text(painter, QRectF(6, y, 28, kLine), mono_font(11),
              tint.isValid() ? theme_.text2 : theme_.text3,
              QString::number(numbers_[size_t(index)]), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(40, y, 14, kLine), mono_font(12, 600), theme_.text1,
              kMarks[size_t(line.change)]);
  bool listing = text_->kind == session::CodeKind::kListing;
  // Instructions have no indent that shows their loop: a mark in its colour does.
  int innermost = listing && !line.loops.empty() ? hue_of(line.loops.back()) : -1;
  if (innermost >= 0)
    painter.fillRect(QRectF(kGutter - 8, y + 3, 3, kLine - 6), theme_.hue(innermost));
  painter.save();
  painter.setClipRect(QRectF(kGutter, y, room().width() - kGutter, kLine));
  double x = kGutter - horizontalScrollBar()->value();
  double letter = QFontMetricsF(mono_font(12)).horizontalAdvance('x');
  for (size_t depth = 0; depth < line.loops.size(); ++depth) {
    if (line.loop >= 0 && depth + 1 == line.loops.size()) continue;
    int hue = hue_of(line.loops[depth]);
    if (hue >= 0 && !listing)
      painter.fillRect(QRectF(x + letter * double(2 * (depth + 1)) + 2, y, 1.5, kLine),
                       Theme::mix(theme_.hue(hue), theme_.inset, 0.55));
  }
  draw_words(painter, line, QPointF(x, y));
  painter.restore();
}

void CodeView::draw_words(QPainter& painter, CodeLine const& line, QPointF at) const {
  QString text = QString::fromStdString(line.text);
  QFont plain = mono_font(12), strong = mono_font(12, 600);
  plain.setStrikeOut(line.change == LineChange::kRemoved);
  double letter = QFontMetricsF(plain).horizontalAdvance('x');
  for (int i = 0; i < text.size();) {
    int end = i;
    bool word = starts_word(text[i]);
    if (word)
      while (end < text.size() && continues_word(text[end])) ++end;
    else
      while (end < text.size() && !starts_word(text[end])) ++end;
    QString part = text.mid(i, end - i);
    QRectF box(at.x() + letter * i, at.y(), letter * part.size() + 2, kLine);
    if (word && nest_)
      for (session::LoopBar const& bar : nest_->bars)
        if (part == QString::fromStdString(bar.name) &&
            std::find(line.loops.begin(), line.loops.end(), bar.id) != line.loops.end()) {
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

int CodeView::line_at(QPoint at) const {
  int index = (int(at.y() / theme_.scale) + verticalScrollBar()->value() - 8) / kLine;
  return text_ && index >= 0 && index < int(text_->lines.size()) ? index : -1;
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
  int index = line_at(event->pos());
  if (index < 0) return selection_.hover(-1);
  CodeLine const& line = text_->lines[size_t(index)];
  selection_.hover(line.loop >= 0 ? line.loop : line.loops.empty() ? -1 : line.loops.back());
}

void CodeView::mousePressEvent(QMouseEvent* event) {
  int index = line_at(event->pos());
  if (index < 0) return;
  CodeLine const& line = text_->lines[size_t(index)];
  if (line.loop >= 0 || !line.loops.empty())
    selection_.select(line.loop >= 0 ? line.loop : line.loops.back());
}

void CodeView::leaveEvent(QEvent*) { selection_.hover(-1); }

QString CodeView::all_text() const {
  QString all;
  for (CodeLine const& line : text_ ? text_->lines : std::vector<CodeLine>())
    if (line.change != LineChange::kRemoved && line.change != LineChange::kGap)
      all += QString::fromStdString(line.text) + "\n";
  return all;
}

void CodeView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && text_) {
    QApplication::clipboard()->setText(all_text());
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace tw
