// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <algorithm>

#include "widgets/history/history_metrics.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace history_metrics;
using session::HistoryNodeView;
using session::Verdict;

HistoryView::HistoryView(QWidget* parent)
    : Canvas(parent), note_(new QLineEdit(this)), name_(new QLineEdit(this)) {
  setObjectName("history");
  setAccessibleName("History");
  setFocusPolicy(Qt::StrongFocus);
  note_->setObjectName("noteEdit");
  note_->setAccessibleName("Note");
  note_->setPlaceholderText("A note on this state");
  name_->setObjectName("nameEdit");
  name_->setAccessibleName("Name");
  name_->setPlaceholderText("A name for this state");
  for (QLineEdit* line : {note_, name_}) {
    line->installEventFilter(this);
    line->hide();
    connect(line, &QLineEdit::editingFinished, this, [this, line] { end_line(line); });
  }
}

/// What was written is taken, if it is something else than before.
void HistoryView::end_line(QLineEdit* line) {
  if (noting_ < 0) return;
  int node = std::exchange(noting_, -1);
  line->hide();
  if (!view_ || size_t(node) >= view_->nodes.size()) return;
  QString text = line->text().simplified();
  if (line == name_ && text != name_of(node)) return emit name_written(node, text);
  if (line == note_ && line->text() != QString::fromStdString(view_->nodes[size_t(node)].note))
    emit note_written(node, line->text());
}

void HistoryView::show_marks(std::shared_ptr<session::Marks const> marks) {
  marks_ = std::move(marks);
  lay_out();
}

void HistoryView::filter(HistoryFilter filter) {
  filter_ = filter;
  unfolded_.clear();
  lay_out();
}

int HistoryView::shown() const {
  return int(std::ranges::count_if(layout_.places, &HistoryPlace::shown));
}

void HistoryView::show_history(std::shared_ptr<session::HistoryView const> view) {
  bool shorter = !view || !view_ || view->nodes.size() < view_->nodes.size();
  if (shorter) {  // another kernel: nothing that was marked is there any more
    marked_ = picked_ = followed_ = -1;
    noting_ = -1;
    note_->hide();
    name_->hide();
    unfolded_.clear();
    found_.clear();
  }
  view_ = std::move(view);
  if (view_ && view_->current != followed_) marked_ = followed_ = view_->current;
  choose_best();
  lay_out();
}

void HistoryView::choose_best() {
  best_ = -1;
  double fastest = 0;
  for (size_t i = 0; view_ && i < view_->nodes.size(); ++i) {
    HistoryNodeView const& node = view_->nodes[i];
    if (node.verdict != Verdict::kCorrect || node.speed.value_or(0) <= fastest) continue;
    fastest = *node.speed;
    best_ = int(i);
  }
}

void HistoryView::lay_out() {
  layout_ = {};
  if (view_) {
    std::set<int> keep(found_);
    for (int id : {marked_, picked_, best_, baseline()}) keep.insert(id);
    for (auto const& [id, mark] : marks_ ? marks_->states : std::map<int, session::Bookmark>())
      keep.insert(id);
    for (HistoryNodeView const& node : view_->nodes)
      if (!folding_ || !node.note.empty() || node.verdict == Verdict::kWrong ||
          !node.failure.empty())
        keep.insert(node.id);
    std::set<int> const only = wanted();
    layout_ =
        lay_out_history(*view_, keep, unfolded_, filter_ == HistoryFilter::kAll ? nullptr : &only);
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

QPointF HistoryView::place(int column, int lane) const {
  return {kLeft + kPitch * column, kTop + kLane * lane};
}

QSize HistoryView::sizeHint() const {
  QPointF last = place(std::max(layout_.columns - 1, 0), std::max(layout_.lanes - 1, 0));
  return pixels(
      QSizeF(std::max(220.0, last.x() + kPitch / 2 + 8), std::max(110.0, last.y() + kBelow + 8)));
}

QPointF HistoryView::station(int node) const {
  if (node < 0 || size_t(node) >= layout_.places.size()) return {};
  HistoryPlace const& at = layout_.places[size_t(node)];
  return place(at.column, at.lane);
}

QRectF HistoryView::field(int node) const {
  QPointF at = station(node);
  return {at.x() - kPitch / 2 + 2, at.y() - kAbove, kPitch - 4, kAbove + kBelow};
}

QRectF HistoryView::pill(HistoryFold const& fold) const {
  QPointF at = place(fold.column, fold.lane);
  return {at.x() - kPitch / 2 + 6, at.y() - 11, kPitch - 12, 22};
}

int HistoryView::node_at(QPointF at) const {
  for (size_t i = 0; i < layout_.places.size(); ++i)
    if (layout_.places[i].shown && field(int(i)).contains(at)) return int(i);
  return -1;
}

int HistoryView::fold_at(QPointF at) const {
  for (size_t i = 0; i < layout_.folds.size(); ++i)
    if (pill(layout_.folds[i]).contains(at)) return int(i);
  return -1;
}

void HistoryView::mark(int node) {
  if (!view_ || node < 0 || size_t(node) >= view_->nodes.size()) return;
  marked_ = node;
  if (!layout_.places[size_t(node)].shown) lay_out();  // a marked station is no part of a fold
  emit moved_to(station(node));
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
  for (size_t i = 0; view_ && !words.isEmpty() && i < view_->nodes.size(); ++i) {
    HistoryNodeView const& node = view_->nodes[i];
    for (std::string const* text : {&node.label, &node.step, &node.note, &node.failure})
      if (QString::fromStdString(*text).contains(words, Qt::CaseInsensitive)) found_.insert(int(i));
    if (name_of(int(i)).contains(words, Qt::CaseInsensitive)) found_.insert(int(i));
  }
  lay_out();
  if (!found_.empty()) {
    auto after = next ? found_.upper_bound(marked_) : found_.lower_bound(marked_);
    mark(after == found_.end() ? *found_.begin() : *after);
  }
  return int(found_.size());
}

void HistoryView::edit_note(int node) {
  if (view_ && node >= 0 && size_t(node) < view_->nodes.size())
    begin_line(note_, node, QString::fromStdString(view_->nodes[size_t(node)].note));
}

void HistoryView::edit_name(int node) {
  if (view_ && node >= 0 && size_t(node) < view_->nodes.size())
    begin_line(name_, node, name_of(node));
}

void HistoryView::begin_line(QLineEdit* line, int node, QString const& text) {
  mark(node);
  noting_ = node;
  line->setText(text);
  QRectF at = field(node);
  int wide = 240;
  double left = std::clamp(at.center().x() - wide / 2, 4.0, std::max(4.0, unit_width() - wide));
  line->setGeometry(pixels(QRectF(left, station(node).y() + 14, wide, 28)));
  line->show();
  line->raise();
  line->setFocus();
  line->selectAll();
}

/// Esc leaves the words as they were.
bool HistoryView::eventFilter(QObject* watched, QEvent* event) {
  auto* line = qobject_cast<QLineEdit*>(watched);
  if (!line || event->type() != QEvent::KeyPress) return false;
  int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Escape) {
    noting_ = -1;
    line->hide();
    setFocus();
    return true;
  }
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    setFocus();  // ends the editing, which writes it
    return true;
  }
  return false;
}

void HistoryView::pick(int node) {
  int first = std::exchange(picked_, picked_ == node ? -1 : node);
  if (first >= 0 && first != node) {
    picked_ = -1;
    emit compare_asked(first, node);
  }
  lay_out();
}

void HistoryView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (event->button() != Qt::LeftButton) return;
  if (int fold = fold_at(event->position()); fold >= 0) {
    return emit unfold_asked(layout_.folds[size_t(fold)].first);
  }
  int node = node_at(event->position());
  if (node < 0) return;
  if (event->modifiers() & Qt::ControlModifier) return emit pick_asked(node);
  marked_ = node;
  emit node_chosen(node);
}

void HistoryView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (int node = node_at(event->position()); node >= 0) edit_note(node);
}

/// The same state on two devices, where both measured it.
void HistoryView::add_device_comparisons(QMenu& menu, int node) {
  HistoryNodeView const& state = view_->nodes[size_t(node)];
  QStringList measured;
  if (state.min_ms) measured << QString::fromStdString(view_->device);
  for (session::ElsewhereView const& one : state.elsewhere)
    if (one.min_ms) measured << QString::fromStdString(one.device);
  for (int i = 1; i < measured.size(); ++i)
    menu.addAction(QString("Compare on %1 and %2").arg(measured[0], measured[i]), this,
                   [this, node, before = measured[0], after = measured[i]] {
                     emit devices_compare_asked(node, before, after);
                   });
}

void HistoryView::add_marks(QMenu& menu, int node) {
  bool tagged = is_tagged(node);
  menu.addAction(tagged ? "Remove the star\tT" : "Star\tT", this,
                 [this, node, tagged] { emit tag_asked(node, !tagged); });
  menu.addAction("Name\tF2", this, [this, node] { edit_name(node); });
  menu.addAction("Write a note\tN", this, [this, node] { edit_note(node); });
  menu.addAction(node == baseline() ? "Clear baseline\tB" : "Set as baseline\tB", this,
                 [this, node] { toggle_baseline(node); });
}

void HistoryView::contextMenuEvent(QContextMenuEvent* event) {
  int node = event->reason() == QContextMenuEvent::Keyboard ? marked_ : node_at(event->pos());
  if (!view_ || node < 0) return;
  ring(node);
  auto* menu = new QMenu(this);
  menu->setObjectName("historyMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  bool current = node == view_->current;
  if (!current) menu->addAction("Jump here\tEnter", this, [this, node] { emit node_chosen(node); });
  add_marks(*menu, node);
  if (!current)
    menu->addAction("Compare with the current state\tC", this,
                    [this, node] { emit compare_asked(node, view_->current); });
  if (picked_ >= 0 && picked_ != node)
    menu->addAction("Compare with the picked state", this, [this, node] { emit pick_asked(node); });
  else
    menu->addAction(picked_ == node ? "Unpick" : "Pick for a comparison\tCtrl+click", this,
                    [this, node] { emit pick_asked(node); });
  add_device_comparisons(*menu, node);
  if (node > 0) {
    menu->addAction("Tune from here", this, [this, node] { emit tune_asked(node); });
    menu->addAction("Measure step contributions", this, [this, node] { emit gain_asked(node); });
  }
  menu->addAction("Copy the script up to here", this, [this, node] { emit script_copied(node); });
  if (current && node > 0)
    menu->addAction("Replay on another kernel", this, [this] { emit replay_asked(); });
  menu->popup(event->globalPos());
}

/// Left is the parent, right the child that goes on in the lane; up and down go to the nearest
/// station of another lane.
int HistoryView::neighbour(int node, int key) const {
  if (key == Qt::Key_Left) return view_->nodes[size_t(node)].parent;
  if (key == Qt::Key_Right) {
    int child = -1;
    for (HistoryNodeView const& other : view_->nodes)
      if (other.parent == node &&
          (child < 0 || layout_.places[size_t(other.id)].lane < layout_.places[size_t(child)].lane))
        child = other.id;
    return child;
  }
  int best = -1;
  double nearest = 0;
  for (size_t i = 0; i < layout_.places.size(); ++i) {
    QPointF away = station(int(i)) - station(node);
    if (!layout_.places[i].shown || (key == Qt::Key_Down ? away.y() <= 0 : away.y() >= 0)) continue;
    double distance = 4 * std::abs(away.y()) + std::abs(away.x());
    if (best < 0 || distance < nearest) best = int(i), nearest = distance;
  }
  return best;
}

/// What marks the ringed state.
bool HistoryView::press(int key) {
  switch (key) {
    case Qt::Key_F2:
      return edit_name(marked_), true;
    case Qt::Key_N:
      return edit_note(marked_), true;
    case Qt::Key_T:
      emit tag_asked(marked_, !is_tagged(marked_));
      return true;
    case Qt::Key_B:
      return toggle_baseline(marked_), true;
    default:
      return false;
  }
}

void HistoryView::keyPressEvent(QKeyEvent* event) {
  if (!view_ || view_->nodes.empty()) return QWidget::keyPressEvent(event);
  if (marked_ < 0) marked_ = view_->current;
  int key = event->key();
  bool arrow = key >= Qt::Key_Left && key <= Qt::Key_Down;
  if (arrow && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
    if (int next = neighbour(marked_, key); next >= 0) ring(next);
    return;
  }
  bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
  if (plain && press(key)) return;
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return emit node_chosen(marked_);
  if (key == Qt::Key_Home) return ring(0);
  if (key == Qt::Key_End) return ring(view_->current);
  if (key == Qt::Key_Space) return emit pick_asked(marked_);
  if (key == Qt::Key_C && plain) {
    if (marked_ != view_->current) emit compare_asked(marked_, view_->current);
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace tw
