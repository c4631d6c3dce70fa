// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/history/history_geometry.h"
#include "widgets/history/history_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

HistoryView::HistoryView(QWidget* parent) : Canvas(parent), menu_(facts_), lines_(this) {
  setObjectName("history");
  setAccessibleName("History");
  setFocusPolicy(Qt::StrongFocus);
  connect(&menu_, &HistoryMenu::name_asked, this, &HistoryView::edit_name);
  connect(&menu_, &HistoryMenu::note_asked, this, &HistoryView::edit_note);
}

void HistoryView::show_marks(std::shared_ptr<session::Marks const> marks) {
  facts_.show_marks(std::move(marks));
  lay_out();
}

void HistoryView::filter(HistoryFilter filter) {
  filter_ = filter;
  unfolded_.clear();
  lay_out();
}

void HistoryView::show_history(std::shared_ptr<session::HistoryView const> view) {
  bool shorter = !view || !facts_.view() || view->nodes.size() < facts_.view()->nodes.size();
  if (shorter) {  // another kernel: nothing that was marked is there any more
    marked_ = picked_ = followed_ = -1;
    lines_.close();
    unfolded_.clear();
    found_.clear();
  }
  facts_.show_history(std::move(view));
  if (facts_.view() && facts_.view()->current != followed_)
    marked_ = followed_ = facts_.view()->current;
  lay_out();
}

void HistoryView::lay_out() {
  layout_ = {};
  if (session::HistoryView const* view = facts_.view()) {
    std::set<int> keep(found_);
    for (int id : {marked_, picked_, facts_.best(), facts_.baseline()}) keep.insert(id);
    for (auto const& [id, mark] :
         facts_.marks() ? facts_.marks()->states : std::map<int, session::Bookmark>())
      keep.insert(id);
    for (HistoryNodeView const& node : view->nodes)
      if (!folding_ || !node.note.empty() || node.verdict == Verdict::kWrong ||
          !node.failure.empty())
        keep.insert(node.id);
    std::set<int> const only = wanted();
    layout_ =
        lay_out_history(*view, keep, unfolded_, filter_ == HistoryFilter::kAll ? nullptr : &only);
  }
  setMinimumSize(sizeHint());
  updateGeometry();
  update();
}

void HistoryView::set_folding(bool folded) {
  folding_ = folded;
  unfolded_.clear();
  lay_out();
}

QSize HistoryView::sizeHint() const { return pixels(size_of(layout_)); }

void HistoryView::mark(int node) {
  if (!facts_.has(node)) return;
  marked_ = node;
  if (!layout_.places[size_t(node)].shown) lay_out();  // a marked station is no part of a fold
  emit moved_to(station_of(layout_, node));
  update();
}

/// By a person: it may be written down.
void HistoryView::ring(int node) {
  mark(node);
  emit ringed(node);
}

bool HistoryView::unfold(int first) {
  for (HistoryFold const& fold : layout_.folds)
    if (fold.first == first) {
      unfolded_.insert(first);
      return lay_out(), true;
    }
  return false;
}

int HistoryView::find(QString const& words, bool next) {
  found_.clear();
  auto has_words = [&](QString const& text) { return text.contains(words, Qt::CaseInsensitive); };
  for (int i = 0; !words.isEmpty() && facts_.has(i); ++i) {
    HistoryNodeView const& node = facts_.node(i);
    for (std::string const* text : {&node.label, &node.step, &node.note, &node.failure})
      if (has_words(QString::fromStdString(*text))) found_.insert(i);
    if (has_words(facts_.name_of(i))) found_.insert(i);
  }
  lay_out();
  if (!found_.empty()) {
    auto after = next ? found_.upper_bound(marked_) : found_.lower_bound(marked_);
    mark(after == found_.end() ? *found_.begin() : *after);
  }
  return int(found_.size());
}

QRect HistoryView::line_place(int node) const {
  constexpr double kWide = 240;
  QPointF at = station_of(layout_, node);
  double left = std::clamp(at.x() - kWide / 2, 4.0, std::max(4.0, unit_width() - kWide));
  return pixels(QRectF(left, at.y() + 14, kWide, 28));
}

void HistoryView::edit_note(int node) {
  if (!facts_.has(node)) return;
  mark(node);
  lines_.write_note(node, QString::fromStdString(facts_.node(node).note), line_place(node));
}

void HistoryView::edit_name(int node) {
  if (!facts_.has(node)) return;
  mark(node);
  lines_.write_name(node, facts_.name_of(node), line_place(node));
}

void HistoryView::pick(int node) {
  int first = std::exchange(picked_, picked_ == node ? -1 : node);
  if (first >= 0 && first != node) {
    picked_ = -1;
    emit menu_.compare_asked(first, node);
  }
  lay_out();
}

void HistoryView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (event->button() != Qt::LeftButton) return;
  if (int fold = fold_at(layout_, event->position()); fold >= 0) {
    return emit unfold_asked(layout_.folds[size_t(fold)].first);
  }
  int node = node_at(layout_, event->position());
  if (node < 0) return;
  if (event->modifiers() & Qt::ControlModifier) return emit menu_.pick_asked(node);
  marked_ = node;
  emit menu_.node_chosen(node);
}

void HistoryView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (int node = node_at(layout_, event->position()); node >= 0) edit_note(node);
}

void HistoryView::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  int node = by_key ? marked_ : node_at(layout_, event->pos());
  if (!facts_.has(node)) return;
  ring(node);
  menu_.popup(this, event->globalPos(), node, picked_);
}

/// What marks the ringed state.
bool HistoryView::press(int key) {
  switch (key) {
    case Qt::Key_F2:
      return edit_name(marked_), true;
    case Qt::Key_N:
      return edit_note(marked_), true;
    case Qt::Key_T:
      menu_.toggle_tag(marked_);
      return true;
    case Qt::Key_B:
      return menu_.toggle_baseline(marked_), true;
    default:
      return false;
  }
}

void HistoryView::keyPressEvent(QKeyEvent* event) {
  if (!facts_.has(0)) return QWidget::keyPressEvent(event);
  if (marked_ < 0) marked_ = facts_.view()->current;
  int key = event->key();
  bool arrow = key >= Qt::Key_Left && key <= Qt::Key_Down;
  if (arrow && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
    if (int next = neighbour_of(*facts_.view(), layout_, marked_, key); next >= 0) ring(next);
    return;
  }
  bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
  if (plain && press(key)) return;
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return emit menu_.node_chosen(marked_);
  if (key == Qt::Key_Home) return ring(0);
  if (key == Qt::Key_End) return ring(facts_.view()->current);
  if (key == Qt::Key_Space) return emit menu_.pick_asked(marked_);
  if (key == Qt::Key_C && plain) {
    if (marked_ != facts_.view()->current)
      emit menu_.compare_asked(marked_, facts_.view()->current);
    return;
  }
  QWidget::keyPressEvent(event);
}

// ---- what is shown -------------------------------------------------------------------------

/// The states that the filter is for, and what a person is at.
std::set<int> HistoryView::wanted() const {
  std::set<int> ids{marked_, picked_};
  if (filter_ == HistoryFilter::kBest) ids.insert(facts_.best());
  if (filter_ == HistoryFilter::kFound) ids.insert(found_.begin(), found_.end());
  for (auto const& [id, mark] :
       facts_.marks() ? facts_.marks()->states : std::map<int, session::Bookmark>())
    if ((filter_ == HistoryFilter::kTagged && mark.tagged) ||
        (filter_ == HistoryFilter::kNamed && !mark.name.empty()))
      ids.insert(id);
  return ids;
}

void HistoryView::paintEvent(QPaintEvent* event) {
  UnitPainter painter(this);
  QRectF shown(units(event->rect().topLeft()), QSizeF(event->rect().size()) / unit());
  painter.fillRect(shown, theme_.panel);
  if (!facts_.has(0))
    return paint::text(painter, QRectF(24, 20, unit_width() - 48, 20), ui_font(12), theme_.text2,
                       "Every step you apply is kept here.");
  paint_history(painter,
                {facts_, layout_, theme_, found_, marked_, picked_, lines_.node(), hasFocus()},
                shown);
}

std::vector<Part> HistoryView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; facts_.view() && i < layout_.places.size(); ++i)
    if (layout_.places[i].shown)
      parts.push_back({field_of(layout_, int(i)), facts_.words_of(facts_.node(int(i))),
                       int(i) == facts_.view()->current});
  for (HistoryFold const& fold : layout_.folds)
    parts.push_back(
        {pill_of(fold),
         QString(fold.count == 1 ? "%1 step folded" : "%1 steps folded").arg(fold.count), false});
  return parts;
}

int HistoryView::ringed_part() const {
  int number = 0;
  for (size_t i = 0; facts_.view() && i < layout_.places.size(); ++i) {
    if (!layout_.places[i].shown) continue;
    if (int(i) == (marked_ < 0 ? facts_.view()->current : marked_)) return number;
    ++number;
  }
  return -1;
}

bool HistoryView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int node = node_at(layout_, units(help->pos()));
  if (node < 0) return QToolTip::hideText(), true;
  QToolTip::showText(help->globalPos(), paint::wrapped(facts_.tooltip_of(facts_.node(node))), this);
  return true;
}

}  // namespace tw
