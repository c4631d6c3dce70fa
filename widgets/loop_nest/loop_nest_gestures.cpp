// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse and the keys do with the ladder: every gesture becomes one script line.
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/loop_nest/divisors.h"
#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/stages/stage_row.h"

namespace tw {

using namespace ladder;
using session::LoopBar;

namespace {

constexpr char const* kChipType = "application/x-tilewright-primitive";

}  // namespace

void LoopNestView::ask(std::string const& line) {
  if (line != line_) {
    line_ = line;
    preview_ = line.empty() ? session::StepPreview() : ask_(line);
    selection_.point_at(preview_.refusal ? QString() : QString::fromStdString(line), this);
  }
  update();
}

void LoopNestView::end_drag() {
  if (drag_ != Drag::kNone) selection_.point_at({}, this);
  drag_ = Drag::kNone;
  dragged_ = dragged_head_ = slot_ = -1;
  typed_.clear();
  line_.clear();
  preview_ = {};
  update();
}

/// The bars of one stage, outermost first: the order that a reorder names.
std::vector<LoopBar const*> LoopNestView::chain_of(Item const& member) const {
  std::vector<LoopBar const*> chain;
  for (Item const& item : items_)
    if (item.bar && item.bar->stage == member.bar->stage) chain.push_back(item.bar);
  return chain;
}

int LoopNestView::slot_of(Item const& member) const {
  std::vector<LoopBar const*> chain = chain_of(member);
  return int(std::find(chain.begin(), chain.end(), member.bar) - chain.begin());
}

/// The script line that puts a bar at another place of its stage; loops between keep their order.
QString LoopNestView::reorder_line(Item const& moved, int slot) const {
  std::vector<LoopBar const*> chain = chain_of(moved), order = chain;
  std::erase(order, moved.bar);
  order.insert(order.begin() + std::clamp<int>(slot, 0, int(order.size())), moved.bar);
  size_t first = 0, last = chain.size();
  while (first < chain.size() && chain[first] == order[first]) ++first;
  while (last > first && chain[last - 1] == order[last - 1]) --last;
  if (first == last) return {};
  QStringList names;
  for (size_t i = first; i < last; ++i) names << QString::fromStdString(order[i]->reference);
  return "reorder(" + names.join(", ") + ")";
}

std::string LoopNestView::split_line() const {
  Item const* item = item_of(dragged_);
  if (!item || factor_ < 1) return {};
  return "split(" + item->bar->reference + ", factor=" + std::to_string(factor_) + ")";
}

void LoopNestView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (ahead_) return show_outlook(nullptr);
  if (Item const* marked = mark_at(event->position());
      marked && event->button() == Qt::LeftButton) {
    QString line = QString::fromStdString(move_of(marked->bar->id)->line);
    selection_.point_at({}, this);
    return emit step_asked(line);
  }
  Item const* item = item_at(event->position());
  Item const* head = item ? nullptr : head_at(event->position());
  if (event->button() != Qt::LeftButton) return;
  if (head) {
    press_ = at_ = event->position();
    dragged_head_ = int(head->stage - nest_->stages.data());
    drag_ = Drag::kPressHead;
  }
  if (!item) return;
  selection_.select(item->bar->id);
  press_ = at_ = event->position();
  dragged_ = item->bar->id;
  drag_ = Drag::kPress;
  if (handle_of(dragged_).contains(press_)) {
    drag_ = Drag::kSplit;
    factor_ = nearest_divisor(item->bar->extent, std::sqrt(double(item->bar->extent)));
    // Nothing is asked for before the handle moves or a number is typed: a click is no step.
    update();
  }
}

void LoopNestView::mouseMoveEvent(QMouseEvent* event) {
  at_ = event->position();
  here_ = true;
  if (drag_ == Drag::kPress && (at_ - press_).manhattanLength() > 6) drag_ = Drag::kMove;
  if (drag_ == Drag::kPressHead && (at_ - press_).manhattanLength() > 6) drag_ = Drag::kHead;
  if (drag_ != Drag::kNone) {
    fuses_ = event->modifiers() & Qt::ShiftModifier;
    emit dragged(pixels(at_));
    return update_drag();
  }
  Item const* marked = mark_at(at_);
  selection_.point_at(marked ? QString::fromStdString(move_of(marked->bar->id)->line) : QString(),
                      this);
  if (marked) return setCursor(Qt::PointingHandCursor);
  Item const* item = item_at(at_);
  int lit = item ? item->bar->id : -1;
  for (Note const& note : notes_)
    if (note.barrier && note.rect.contains(at_)) lit = note.barrier->loop;
  selection_.hover(lit);
  bool grips = head_at(at_) || (item && item->rect.contains(at_));
  setCursor(item && handle_of(item->bar->id).contains(at_) ? Qt::SplitHCursor
            : grips                                        ? Qt::OpenHandCursor
                                                           : Qt::ArrowCursor);
}

void LoopNestView::drag_to(QPoint at) {
  at_ = units(QPointF(at));
  update_drag();
}

void LoopNestView::update_drag() {
  if (drag_ == Drag::kHead) return update_head(at_);
  if (drag_ == Drag::kMove) return update_move(at_, fuses_);
  if (drag_ == Drag::kSplit && typed_.isEmpty()) update_split(at_);
}

void LoopNestView::update_move(QPointF at, bool shift) {
  Item const* item = item_of(dragged_);
  Item const* target = item_at(at);
  bool neighbours = target && target->bar->stage == item->bar->stage &&
                    std::abs(target->bar->depth - item->bar->depth) == 1;
  if (neighbours && shift) {
    slot_ = -1;
    bool outer = item->bar->depth < target->bar->depth;
    return ask("fuse(" + (outer ? item : target)->bar->reference + ", " +
               (outer ? target : item)->bar->reference + ")");
  }
  slot_ = target ? (target->bar->stage == item->bar->stage ? slot_of(*target) : -1)
                 : slot_beyond(*item, at.y());
  ask(slot_ < 0 ? "" : reorder_line(*item, slot_).toStdString());
}

/// Above the first bar of its stage is the first place, below the last one the last.
int LoopNestView::slot_beyond(Item const& member, double y) const {
  std::vector<LoopBar const*> chain = chain_of(member);
  Item const* first = item_of(chain.front()->id);
  Item const* last = item_of(chain.back()->id);
  if (y < first->rect.top() && y > first->rect.top() - kRow) return 0;
  bool below = y > last->rect.bottom() && y < last->rect.bottom() + 2 * kRow;
  return below ? int(chain.size()) - 1 : -1;
}

void LoopNestView::update_split(QPointF at) {
  Item const* item = item_of(dragged_);
  // The pull to the left makes the inner loop smaller, on the bar's own logarithmic scale.
  double share = std::clamp((at.x() - item->rect.left()) / item->rect.width(), 0.05, 1.0);
  factor_ = nearest_divisor(item->bar->extent,
                            std::pow(double(item->bar->extent), share == 1.0 ? 0.5 : share));
  ask(split_line());
}

/// A producer is computed where it is dropped, a consumer of what stands there right behind it.
void LoopNestView::update_head(QPointF at) {
  Item const* target = item_at(at);
  bool other = target && target->bar->stage != dragged_head_;
  dragged_ = other ? target->bar->id : -1;
  if (!other) return ask("");
  bool later = dragged_head_ > target->bar->stage;
  ask((later ? "reverse_compute_at(" : "compute_at(") + nest_->stages[size_t(dragged_head_)].name +
      ", " + target->bar->reference + ")");
}

void LoopNestView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  QString line = QString::fromStdString(line_);
  bool commit = drag_ != Drag::kPress && drag_ != Drag::kPressHead && !line.isEmpty();
  if (drag_ == Drag::kSplit && !typed_.isEmpty()) return;  // the number is still being typed
  end_drag();
  if (commit) emit step_asked(line);
}

void LoopNestView::wheelEvent(QWheelEvent* event) {
  Item const* item = item_of(dragged_);
  if (drag_ != Drag::kSplit || !item) return event->ignore();
  factor_ = next_divisor(item->bar->extent, factor_, event->angleDelta().y() > 0 ? 1 : -1);
  ask(split_line());
  event->accept();
}

void LoopNestView::leaveEvent(QEvent*) {
  here_ = false;
  selection_.hover(-1);
  if (drag_ == Drag::kNone) selection_.point_at({}, this);
}

void LoopNestView::select_step(int direction) {
  std::vector<int> bars;
  for (Item const& item : items_)
    if (item.bar) bars.push_back(item.bar->id);
  if (bars.empty()) return;
  auto at = std::find(bars.begin(), bars.end(), selection_.loop());
  auto index = at == bars.end() ? 0
                                : std::clamp<std::ptrdiff_t>(at - bars.begin() + direction, 0,
                                                             std::ptrdiff_t(bars.size()) - 1);
  selection_.select(bars[size_t(index)]);
}

void LoopNestView::keyPressEvent(QKeyEvent* event) {
  Item const* item = item_of(selection_.loop());
  if (drag_ == Drag::kSplit) {
    if (event->key() == Qt::Key_Escape) return end_drag();
    if (event->key() >= Qt::Key_0 && event->key() <= Qt::Key_9)
      typed_ += QChar('0' + (event->key() - Qt::Key_0));
    if (event->key() == Qt::Key_Backspace) typed_.chop(1);
    if (!typed_.isEmpty()) factor_ = typed_.toLongLong();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
      QString line = QString::fromStdString(split_line());
      end_drag();
      if (!line.isEmpty()) emit step_asked(line);
      return;
    }
    return ask(split_line());
  }
  if (event->key() == Qt::Key_Escape && drag_ != Drag::kNone) return end_drag();
  bool vertical = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  int direction = event->key() == Qt::Key_Up ? -1 : 1;
  if (vertical && !(event->modifiers() & Qt::AltModifier)) return select_step(direction);
  if (vertical && item) {
    QString line = reorder_line(*item, slot_of(*item) + direction);
    if (!line.isEmpty()) emit step_asked(line);
    return;
  }
  QWidget::keyPressEvent(event);
}

void LoopNestView::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  Item const* item = by_key ? item_of(selection_.loop()) : item_at(event->pos());
  if (!item) return;
  selection_.select(item->bar->id);
  emit menu_asked(by_key ? mapToGlobal(pixels(item->rect.center())) : event->globalPos());
}

void LoopNestView::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(kStageType) && nest_) {
    auto name = event->mimeData()->data(kStageType).toStdString();
    auto stage = std::ranges::find(nest_->stages, name, &session::StageCard::name);
    if (stage == nest_->stages.end()) return;
    chip_.clear();
    dragged_head_ = int(stage - nest_->stages.begin());
    return event->acceptProposedAction();
  }
  if (!event->mimeData()->hasFormat(kChipType)) return;
  chip_ = QString::fromUtf8(event->mimeData()->data(kChipType));
  event->acceptProposedAction();
}

void LoopNestView::dragMoveEvent(QDragMoveEvent* event) {
  at_ = units(event->position());
  event->acceptProposedAction();
  if (chip_.isEmpty()) {
    drag_ = Drag::kHead;
    emit dragged(pixels(at_));
    return update_head(at_);
  }
  Item const* item = item_at(at_);
  drag_ = item ? Drag::kChip : Drag::kNone;
  dragged_ = item ? item->bar->id : -1;
  emit dragged(pixels(at_));
  ask(item ? chip_.toStdString() + "(" + item->bar->reference + ")" : "");
}

void LoopNestView::dragLeaveEvent(QDragLeaveEvent*) { end_drag(); }

void LoopNestView::dropEvent(QDropEvent* event) {
  QString line = QString::fromStdString(line_);
  int loop = dragged_;
  end_drag();
  if (loop < 0 || line.isEmpty()) return;
  selection_.select(loop);
  event->acceptProposedAction();
  emit step_asked(line);
}

}  // namespace tw
