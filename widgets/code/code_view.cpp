// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_view.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/accessible/roles.h"
#include "widgets/code/code_metrics.h"
#include "widgets/code/wrapping.h"
#include "widgets/paint/paint.h"

namespace tw {

using session::CodeLine;
using session::LineChange;

namespace {

constexpr int kLine = kCodeLine;

/// The first line of the loop that runs most and the one behind its last; equal: none is known.
std::pair<int, int> hot_lines(LineNotes const* notes) {
  int first = -1, last = -1;
  for (size_t i = 0; notes && i < notes->size(); ++i)
    if ((*notes)[i].hot) {
      if (first < 0) first = int(i);
      last = int(i);
    }
  return {first, first < 0 ? first : last + 1};
}

}  // namespace

CodeView::CodeView(Selection& selection, QWidget* parent)
    : QAbstractScrollArea(parent), selection_(selection) {
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("code");
  setProperty(kPaintedText, true);  // before its name is told
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
    notes_ = nullptr;
    current_ = -1;
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
    int top = verticalScrollBar()->value(), y = first_row(int(i)) * kLine;
    bool seen = y >= top && y + 6 * kLine < top + room().height();
    if (!seen) verticalScrollBar()->setValue(std::max(0, y - 3 * kLine));
    return;
  }
}

void CodeView::show_notes(std::shared_ptr<LineNotes const> notes) {
  if (notes && (!text_ || notes->size() != text_->lines.size())) notes = nullptr;
  notes_ = std::move(notes);
  update_bars();
  viewport()->update();
}

void CodeView::set_guilty(std::string tensor, int loop) {
  guilty_ = std::move(tensor);
  guilty_loop_ = loop;
  viewport()->update();
}

void CodeView::set_wrap(bool wrap) {
  if (wrap == wrap_) return;
  int top = top_line();
  wrap_ = wrap;
  update_bars();
  if (top >= 0) verticalScrollBar()->setValue(first_row(top) * kLine);
  viewport()->update();
}

int CodeView::columns() const {
  double letter = QFontMetricsF(mono_font(12)).horizontalAdvance('x');
  return int((room().width() - gutter() - 12) / letter);
}

/// Rows of wrapped lines.
void CodeView::lay_out() {
  rows_.clear();
  if (!wrap_ || !text_) return;
  int row = 0, width = columns();
  for (CodeLine const& line : text_->lines) {
    rows_.push_back(row);
    row += int(row_starts(QString::fromStdString(line.text), width).size());
  }
  rows_.push_back(row);
}

int CodeView::row_count() const {
  if (!text_) return 0;
  return wrap_ && !rows_.empty() ? rows_.back() : int(text_->lines.size());
}

int CodeView::top_line() const { return line_at(QPoint(0, int(8 * theme_.scale))); }

void CodeView::bring_into_sight(int line, int rows) {
  int top = verticalScrollBar()->value(), y = first_row(line) * kLine;
  bool seen = y >= top && y + rows * kLine + 8 <= top + room().height();
  if (!seen) verticalScrollBar()->setValue(std::max(0, y - 3 * kLine));
}

void CodeView::bring_hot_loop_into_sight() {
  auto [first, end] = hot_lines(notes_.get());
  if (first < end) bring_into_sight(first, end - first);
}

std::pair<double, double> CodeView::hot_span() const {
  auto [first, end] = hot_lines(notes_.get());
  if (first == end) return {0, 0};
  double above = 8.0 - verticalScrollBar()->value();
  int last = wrap_ ? rows_[size_t(end)] : end;
  return {first_row(first) * kLine + above, last * kLine + above};
}

/// The line that the arrows are at: its loop is pointed at, as by the mouse.
void CodeView::go_to(int line) {
  if (!text_ || text_->lines.empty()) return;
  current_ = std::clamp(line, 0, int(text_->lines.size()) - 1);
  bring_into_sight(current_, 1);
  CodeLine const& at = text_->lines[size_t(current_)];
  selection_.hover(at.loop >= 0 ? at.loop : at.loops.empty() ? -1 : at.loops.back());
  static QString const kChanges[] = {"", "added: ", "removed: ", "moved up: ", "moved down: ", ""};
  QString words = kChanges[size_t(at.change)] + QString::fromStdString(at.text).trimmed();
  if (QString more = explain_(current_); !more.isEmpty()) words += ". " + more;
  setAccessibleDescription(words);
  QAccessibleEvent said(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&said);
  emit current_changed(current_);
  viewport()->update();
}

void CodeView::bring_changes_into_sight() {
  int first = -1, top = verticalScrollBar()->value();
  for (size_t i = 0; text_ && i < text_->lines.size(); ++i) {
    LineChange change = text_->lines[i].change;
    if (change == LineChange::kSame || change == LineChange::kGap) continue;
    int y = first_row(int(i)) * kLine;
    if (y >= top && y + 2 * kLine < top + room().height()) return;
    if (first < 0) first = y;
  }
  if (first >= 0) verticalScrollBar()->setValue(std::max(0, first - 3 * kLine));
}

void CodeView::update_bars() {
  lay_out();
  // A letter is no whole number of pixels wide: what that leaves out adds up in a long line.
  int widest = int(std::ceil(widest_ * QFontMetricsF(mono_font(12)).horizontalAdvance('x')));
  verticalScrollBar()->setRange(0, std::max(0, row_count() * kLine + 24 - room().height()));
  verticalScrollBar()->setSingleStep(kLine);
  verticalScrollBar()->setPageStep(room().height());
  int wide = wrap_ ? 0 : widest + gutter() + 24 - room().width();
  horizontalScrollBar()->setRange(0, std::max(0, wide));
  horizontalScrollBar()->setPageStep(room().width());
}

void CodeView::resizeEvent(QResizeEvent*) { update_bars(); }

int CodeView::line_at(QPoint at) const {
  int row = (int(at.y() / theme_.scale) + verticalScrollBar()->value() - 8) / kLine;
  if (!text_ || row < 0 || row >= row_count()) return -1;
  if (!wrap_ || rows_.empty()) return row;
  return int(std::ranges::upper_bound(rows_, row) - rows_.begin()) - 1;
}

bool CodeView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int line = line_at(help->pos());
  QString words = line < 0 ? QString() : explain_(line);
  if (words.isEmpty()) return QToolTip::hideText(), true;
  QToolTip::showText(help->globalPos(), paint::wrapped(words), this);
  return true;
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
  int page = std::max(1, room().height() / kLine - 2), last = text_ ? int(text_->lines.size()) : 0;
  int from = current_ >= 0 ? current_ : top_line() - (event->key() == Qt::Key_Down);
  switch (event->key()) {
    case Qt::Key_Down:
      return go_to(from + 1);
    case Qt::Key_Up:
      return go_to(from - 1);
    case Qt::Key_PageDown:
      return go_to(from + page);
    case Qt::Key_PageUp:
      return go_to(from - page);
    case Qt::Key_Home:
      return go_to(0);
    case Qt::Key_End:
      return go_to(last - 1);
    case Qt::Key_Return:
    case Qt::Key_Space:
      if (selection_.hovered() >= 0) selection_.select(selection_.hovered());
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

}  // namespace tw
