// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse and the keys do with the loop nest: every gesture becomes one script line.
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

using namespace loop_nest_metrics;
using session::LoopBar;

namespace {

constexpr char const* kChipType = "application/x-tilewright-primitive";

}  // namespace

void LoopNestView::ask(std::string const& line) {
  if (line != scene_.drag.line) {
    scene_.drag.line = line;
    scene_.drag.preview = line.empty() ? session::StepPreview() : ask_(line);
    selection_.point_at(scene_.drag.preview.refusal ? QString() : QString::fromStdString(line),
                        this);
  }
  update();
}

void LoopNestView::end_drag() {
  if (scene_.drag.kind != NestDrag::kNone) selection_.point_at({}, this);
  QPointF at = scene_.drag.at;
  scene_.drag = {};
  scene_.drag.at = at;
  update();
}

std::string LoopNestView::split_line() const {
  NestItem const* item = scene_.layout.item_of(scene_.drag.loop);
  if (!item || scene_.drag.factor < 1) return {};
  return "split(" + item->bar->reference + ", factor=" + std::to_string(scene_.drag.factor) + ")";
}

void LoopNestView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (scene_.ahead) return show_outlook(nullptr);
  if (NestItem const* marked = scene_.mark_at(event->position());
      marked && event->button() == Qt::LeftButton) {
    QString line = QString::fromStdString(scene_.move_of(marked->bar->id)->line);
    selection_.point_at({}, this);
    return emit step_asked(line);
  }
  NestItem const* item = scene_.layout.item_at(event->position());
  NestItem const* head = item ? nullptr : scene_.layout.head_at(event->position());
  if (event->button() != Qt::LeftButton) return;
  if (head) {
    scene_.drag.press = scene_.drag.at = event->position();
    scene_.drag.stage = int(head->stage - scene_.nest->stages.data());
    scene_.drag.kind = NestDrag::kPressHead;
  }
  if (!item) return;
  selection_.select(item->bar->id);
  scene_.drag.press = scene_.drag.at = event->position();
  scene_.drag.loop = item->bar->id;
  scene_.drag.kind = NestDrag::kPress;
  if (scene_.layout.handle_of(scene_.drag.loop).contains(scene_.drag.press)) {
    scene_.drag.kind = NestDrag::kSplit;
    scene_.drag.factor = nearest_divisor(item->bar->extent, std::sqrt(double(item->bar->extent)));
    // Nothing is asked for before the handle moves or a number is typed: a click is no step.
    update();
  }
}

void LoopNestView::mouseMoveEvent(QMouseEvent* event) {
  scene_.drag.at = event->position();
  scene_.here = true;
  if (scene_.drag.kind == NestDrag::kPress &&
      (scene_.drag.at - scene_.drag.press).manhattanLength() > 6)
    scene_.drag.kind = NestDrag::kMove;
  if (scene_.drag.kind == NestDrag::kPressHead &&
      (scene_.drag.at - scene_.drag.press).manhattanLength() > 6)
    scene_.drag.kind = NestDrag::kHead;
  if (scene_.drag.kind != NestDrag::kNone) {
    scene_.drag.fuses = event->modifiers() & Qt::ShiftModifier;
    emit dragged(pixels(scene_.drag.at));
    return update_drag();
  }
  NestItem const* marked = scene_.mark_at(scene_.drag.at);
  selection_.point_at(
      marked ? QString::fromStdString(scene_.move_of(marked->bar->id)->line) : QString(), this);
  if (marked) return setCursor(Qt::PointingHandCursor);
  NestItem const* item = scene_.layout.item_at(scene_.drag.at);
  int lit = item ? item->bar->id : -1;
  for (NestNote const& note : scene_.layout.notes)
    if (note.barrier && note.rect.contains(scene_.drag.at)) lit = note.barrier->loop;
  selection_.hover(lit);
  bool grips =
      scene_.layout.head_at(scene_.drag.at) || (item && item->rect.contains(scene_.drag.at));
  setCursor(item && scene_.layout.handle_of(item->bar->id).contains(scene_.drag.at)
                ? Qt::SplitHCursor
            : grips ? Qt::OpenHandCursor
                    : Qt::ArrowCursor);
}

void LoopNestView::drag_to(QPoint at) {
  scene_.drag.at = units(QPointF(at));
  update_drag();
}

void LoopNestView::update_drag() {
  if (scene_.drag.kind == NestDrag::kHead) return update_head(scene_.drag.at);
  if (scene_.drag.kind == NestDrag::kMove) return update_move(scene_.drag.at, scene_.drag.fuses);
  if (scene_.drag.kind == NestDrag::kSplit && scene_.drag.typed.isEmpty())
    update_split(scene_.drag.at);
}

void LoopNestView::update_move(QPointF at, bool shift) {
  NestItem const* item = scene_.layout.item_of(scene_.drag.loop);
  NestItem const* target = scene_.layout.item_at(at);
  bool neighbours = target && target->bar->stage == item->bar->stage &&
                    std::abs(target->bar->depth - item->bar->depth) == 1;
  if (neighbours && shift) {
    scene_.drag.slot = -1;
    bool outer = item->bar->depth < target->bar->depth;
    return ask("fuse(" + (outer ? item : target)->bar->reference + ", " +
               (outer ? target : item)->bar->reference + ")");
  }
  scene_.drag.slot =
      target ? (target->bar->stage == item->bar->stage ? scene_.layout.slot_of(*target) : -1)
             : scene_.layout.slot_beyond(*item, at.y());
  ask(scene_.drag.slot < 0 ? ""
                           : scene_.layout.reorder_line(*item, scene_.drag.slot).toStdString());
}

void LoopNestView::update_split(QPointF at) {
  NestItem const* item = scene_.layout.item_of(scene_.drag.loop);
  // The pull to the left makes the inner loop smaller, on the bar's own logarithmic scale.
  double share = std::clamp((at.x() - item->rect.left()) / item->rect.width(), 0.05, 1.0);
  scene_.drag.factor = nearest_divisor(
      item->bar->extent, std::pow(double(item->bar->extent), share == 1.0 ? 0.5 : share));
  ask(split_line());
}

/// A producer is computed where it is dropped, a consumer of what stands there right behind it.
void LoopNestView::update_head(QPointF at) {
  NestItem const* target = scene_.layout.item_at(at);
  bool other = target && target->bar->stage != scene_.drag.stage;
  scene_.drag.loop = other ? target->bar->id : -1;
  if (!other) return ask("");
  bool later = scene_.drag.stage > target->bar->stage;
  ask((later ? "reverse_compute_at(" : "compute_at(") +
      scene_.nest->stages[size_t(scene_.drag.stage)].name + ", " + target->bar->reference + ")");
}

void LoopNestView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  QString line = QString::fromStdString(scene_.drag.line);
  bool commit = scene_.drag.kind != NestDrag::kPress && scene_.drag.kind != NestDrag::kPressHead &&
                !line.isEmpty();
  if (scene_.drag.kind == NestDrag::kSplit && !scene_.drag.typed.isEmpty())
    return;  // the number is still being typed
  end_drag();
  if (commit) emit step_asked(line);
}

void LoopNestView::wheelEvent(QWheelEvent* event) {
  NestItem const* item = scene_.layout.item_of(scene_.drag.loop);
  if (scene_.drag.kind != NestDrag::kSplit || !item) return event->ignore();
  scene_.drag.factor =
      next_divisor(item->bar->extent, scene_.drag.factor, event->angleDelta().y() > 0 ? 1 : -1);
  ask(split_line());
  event->accept();
}

void LoopNestView::leaveEvent(QEvent*) {
  scene_.here = false;
  selection_.hover(-1);
  if (scene_.drag.kind == NestDrag::kNone) selection_.point_at({}, this);
}

void LoopNestView::select_step(int direction) {
  std::vector<int> bars;
  for (NestItem const& item : scene_.layout.items)
    if (item.bar) bars.push_back(item.bar->id);
  if (bars.empty()) return;
  auto at = std::find(bars.begin(), bars.end(), selection_.loop());
  auto index = at == bars.end() ? 0
                                : std::clamp<std::ptrdiff_t>(at - bars.begin() + direction, 0,
                                                             std::ptrdiff_t(bars.size()) - 1);
  selection_.select(bars[size_t(index)]);
}

void LoopNestView::keyPressEvent(QKeyEvent* event) {
  NestItem const* item = scene_.layout.item_of(selection_.loop());
  if (scene_.drag.kind == NestDrag::kSplit) {
    if (event->key() == Qt::Key_Escape) return end_drag();
    if (event->key() >= Qt::Key_0 && event->key() <= Qt::Key_9)
      scene_.drag.typed += QChar('0' + (event->key() - Qt::Key_0));
    if (event->key() == Qt::Key_Backspace) scene_.drag.typed.chop(1);
    if (!scene_.drag.typed.isEmpty()) scene_.drag.factor = scene_.drag.typed.toLongLong();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
      QString line = QString::fromStdString(split_line());
      end_drag();
      if (!line.isEmpty()) emit step_asked(line);
      return;
    }
    return ask(split_line());
  }
  if (event->key() == Qt::Key_Escape && scene_.drag.kind != NestDrag::kNone) return end_drag();
  bool vertical = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  int direction = event->key() == Qt::Key_Up ? -1 : 1;
  if (vertical && !(event->modifiers() & Qt::AltModifier)) return select_step(direction);
  if (vertical && item) {
    QString line = scene_.layout.reorder_line(*item, scene_.layout.slot_of(*item) + direction);
    if (!line.isEmpty()) emit step_asked(line);
    return;
  }
  QWidget::keyPressEvent(event);
}

void LoopNestView::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  NestItem const* item =
      by_key ? scene_.layout.item_of(selection_.loop()) : scene_.layout.item_at(event->pos());
  if (!item) return;
  selection_.select(item->bar->id);
  emit menu_asked(by_key ? mapToGlobal(pixels(item->rect.center())) : event->globalPos());
}

void LoopNestView::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasFormat(kStageType) && scene_.nest) {
    if (scene_.ahead) show_outlook(nullptr);  // a preview has other stages
    auto name = event->mimeData()->data(kStageType).toStdString();
    auto stage = std::ranges::find(scene_.nest->stages, name, &session::StageCard::name);
    if (stage == scene_.nest->stages.end()) return;
    chip_.clear();
    scene_.drag.at = units(event->position());
    scene_.drag.stage = int(stage - scene_.nest->stages.begin());
    scene_.drag.kind = NestDrag::kHead;  // from now on no preview takes the nest's place
    return event->acceptProposedAction();
  }
  if (!event->mimeData()->hasFormat(kChipType)) return;
  chip_ = QString::fromUtf8(event->mimeData()->data(kChipType));
  event->acceptProposedAction();
}

void LoopNestView::dragMoveEvent(QDragMoveEvent* event) {
  scene_.drag.at = units(event->position());
  event->acceptProposedAction();
  if (chip_.isEmpty() && scene_.drag.stage < 0) return;  // another nest came meanwhile
  if (chip_.isEmpty()) {
    scene_.drag.kind = NestDrag::kHead;
    emit dragged(pixels(scene_.drag.at));
    return update_head(scene_.drag.at);
  }
  NestItem const* item = scene_.layout.item_at(scene_.drag.at);
  scene_.drag.kind = item ? NestDrag::kChip : NestDrag::kNone;
  scene_.drag.loop = item ? item->bar->id : -1;
  emit dragged(pixels(scene_.drag.at));
  ask(item ? chip_.toStdString() + "(" + item->bar->reference + ")" : "");
}

void LoopNestView::dragLeaveEvent(QDragLeaveEvent*) { end_drag(); }

void LoopNestView::dropEvent(QDropEvent* event) {
  QString line = QString::fromStdString(scene_.drag.line);
  int loop = scene_.drag.loop;
  end_drag();
  if (loop < 0 || line.isEmpty()) return;
  selection_.select(loop);
  event->acceptProposedAction();
  emit step_asked(line);
}

}  // namespace tw
