// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/history/history_metrics.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace history_metrics;
using session::HistoryNodeView;
using session::Verdict;

HistoryView::HistoryView(QWidget* parent) : Canvas(parent), note_(new QLineEdit(this)) {
  setObjectName("history");
  setAccessibleName("History");
  setFocusPolicy(Qt::StrongFocus);
  note_->setObjectName("noteEdit");
  note_->setAccessibleName("Note");
  note_->setPlaceholderText("A note on this state");
  note_->installEventFilter(this);
  note_->hide();
  connect(note_, &QLineEdit::editingFinished, this, [this] {
    if (noting_ < 0) return;
    int node = std::exchange(noting_, -1);
    QString text = note_->text();
    note_->hide();
    if (view_ && size_t(node) < view_->nodes.size() &&
        text != QString::fromStdString(view_->nodes[size_t(node)].note))
      emit note_written(node, text);
  });
}

void HistoryView::show_history(std::shared_ptr<session::HistoryView const> view) {
  bool shorter = !view || !view_ || view->nodes.size() < view_->nodes.size();
  if (shorter) {  // another kernel: nothing that was marked is there any more
    marked_ = picked_ = followed_ = -1;
    noting_ = -1;
    note_->hide();
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
    for (int id : {marked_, picked_, best_}) keep.insert(id);
    for (HistoryNodeView const& node : view_->nodes)
      if (!folding_ || !node.note.empty() || node.verdict == Verdict::kWrong ||
          !node.failure.empty())
        keep.insert(node.id);
    layout_ = lay_out_history(*view_, keep, unfolded_);
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
  }
  lay_out();
  if (!found_.empty()) {
    auto after = next ? found_.upper_bound(marked_) : found_.lower_bound(marked_);
    mark(after == found_.end() ? *found_.begin() : *after);
  }
  return int(found_.size());
}

void HistoryView::edit_note(int node) {
  if (!view_ || node < 0 || size_t(node) >= view_->nodes.size()) return;
  mark(node);
  noting_ = node;
  note_->setText(QString::fromStdString(view_->nodes[size_t(node)].note));
  QRectF at = field(node);
  int wide = 240;
  double left = std::clamp(at.center().x() - wide / 2, 4.0, std::max(4.0, unit_width() - wide));
  note_->setGeometry(pixels(QRectF(left, station(node).y() + 14, wide, 28)));
  note_->show();
  note_->raise();
  note_->setFocus();
  note_->selectAll();
}

/// Esc leaves the note as it was.
bool HistoryView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != note_ || event->type() != QEvent::KeyPress) return false;
  int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Escape) {
    noting_ = -1;
    note_->hide();
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

void HistoryView::contextMenuEvent(QContextMenuEvent* event) {
  int node = event->reason() == QContextMenuEvent::Keyboard ? marked_ : node_at(event->pos());
  if (!view_ || node < 0) return;
  ring(node);
  auto* menu = new QMenu(this);
  menu->setObjectName("historyMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  bool current = node == view_->current;
  if (!current) menu->addAction("Jump here\tEnter", this, [this, node] { emit node_chosen(node); });
  menu->addAction("Write a note\tF2", this, [this, node] { edit_note(node); });
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
    menu->addAction("What carries the gain", this, [this, node] { emit gain_asked(node); });
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
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return emit node_chosen(marked_);
  if (key == Qt::Key_F2) return edit_note(marked_);
  if (key == Qt::Key_Home) return ring(0);
  if (key == Qt::Key_End) return ring(view_->current);
  if (key == Qt::Key_Space) return emit pick_asked(marked_);
  if (key == Qt::Key_C && plain) {
    if (marked_ != view_->current) emit compare_asked(marked_, view_->current);
    return;
  }
  QWidget::keyPressEvent(event);
}

QString HistoryView::words_of(HistoryNodeView const& node) const {
  QString words = QString::fromStdString(node.step.empty() ? node.label : node.step);
  if (node.id == view_->current) words += ", current";
  if (node.id == best_) words += ", the fastest";
  if (node.speed && node.min_ms)
    words += QString(", measured %1, spread %2, %3 %4%5")
                 .arg(paint::time(*node.min_ms), QString::fromStdString(percent_text(node.spread)),
                      paint::number(*node.speed), QString::fromStdString(view_->unit),
                      node.disturbed ? ", while other programs used the processor" : "");
  for (session::ElsewhereView const& one : node.elsewhere)
    if (one.min_ms)
      words += QString(", measured on %1: %2")
                   .arg(QString::fromStdString(one.device), paint::time(*one.min_ms));
  if (node.model_ms)
    words += QString(", modelled %1, bound by %2")
                 .arg(paint::time(*node.model_ms), QString::fromStdString(node.bound));
  static char const* const kVerdicts[] = {"not checked", "being checked", "correct", "wrong"};
  words += QString(", ") + kVerdicts[size_t(node.verdict)];
  if (!node.failure.empty()) words += ", " + QString::fromStdString(node.failure);
  if (!node.note.empty()) words += ", note: " + QString::fromStdString(node.note);
  return words;
}

std::vector<Part> HistoryView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; view_ && i < layout_.places.size(); ++i)
    if (layout_.places[i].shown)
      parts.push_back(
          {field(int(i)), words_of(view_->nodes[i]), view_->nodes[i].id == view_->current});
  for (HistoryFold const& fold : layout_.folds)
    parts.push_back({pill(fold), QString("%1 steps folded").arg(fold.count), false});
  return parts;
}

bool HistoryView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int index = node_at(units(help->pos()));
  if (index < 0) return QToolTip::hideText(), true;
  HistoryNodeView const& node = view_->nodes[size_t(index)];
  QString words = QString::fromStdString(node.step.empty() ? "the plain nest" : node.step);
  if (!node.note.empty()) words += "\n" + QString::fromStdString(node.note);
  if (node.min_ms)
    words += QString("\nmeasured on %1: %2, spread %3%4")
                 .arg(QString::fromStdString(view_->device), paint::time(*node.min_ms),
                      QString::fromStdString(percent_text(node.spread)),
                      node.disturbed ? "\n"
                                       "▲ other programs used the processor; it is measured again "
                                       "when the machine is idle"
                                     : "");
  for (session::ElsewhereView const& one : node.elsewhere)
    if (one.min_ms)
      words += QString("\nmeasured on %1: %2, spread %3  (%4)")
                   .arg(QString::fromStdString(one.device), paint::time(*one.min_ms),
                        QString::fromStdString(percent_text(one.spread)),
                        QString::fromStdString(one.machine));
  if (node.model_ms)
    words += QString("\nmodelled %1, bound by %2")
                 .arg(paint::time(*node.model_ms), QString::fromStdString(node.bound));
  if (!node.verdict_text.empty()) words += "\n" + QString::fromStdString(node.verdict_text);
  if (!node.failure.empty()) words += "\n" + QString::fromStdString(node.failure);
  QToolTip::showText(help->globalPos(), paint::wrapped(words), this);
  return true;
}

}  // namespace tw
