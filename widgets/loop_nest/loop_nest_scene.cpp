// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/loop_nest_scene.h"

#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/moves/move_mark.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace loop_nest_metrics;

/// In a nest that is not there yet: this bar is another one than now.
bool LoopNestScene::is_new(session::LoopBar const& bar) const {
  return std::ranges::none_of(current->bars, [&](session::LoopBar const& now) {
    return now.id == bar.id && now.mark == bar.mark && now.extent == bar.extent &&
           now.stage == bar.stage;
  });
}

session::MoveView const* LoopNestScene::move_of(int loop) const {
  if (!selection.moves() || ahead) return nullptr;
  for (session::MoveView const& move : selection.moves()->moves)
    if (move.loop == loop) return is_worth_a_mark(move) ? &move : nullptr;
  return nullptr;
}

/// Right of what a bar is for, where there is room before the footprints.
QRectF LoopNestScene::mark_of(int loop) const {
  NestItem const* item = layout.item_of(loop);
  session::MoveView const* move = item ? move_of(loop) : nullptr;
  if (!move) return {};
  double said = item->bar->consequence.empty()
                    ? 0
                    : 8 + QFontMetricsF(ui_font(12))
                              .horizontalAdvance(QString::fromStdString(item->bar->consequence));
  return {item->rect.right() + 10 + said, item->rect.top() + 4, mark_width(*move),
          item->rect.height() - 8};
}

NestItem const* LoopNestScene::mark_at(QPointF at) const {
  for (NestItem const& item : layout.items)
    if (item.bar && mark_of(item.bar->id).contains(at)) return &item;
  return nullptr;
}

/// The step and what it does to memories, or why it cannot be taken.
std::vector<NestHint> LoopNestScene::hint() const {
  bool known = outlook && !outlook->words.empty();
  if (drag.line.empty()) {  // a mark, or nothing
    if (!known || !here) return {};
    return {{QString::fromStdString(outlook->line), false},
            {QString::fromStdString(outlook->words), false}};
  }
  bool legal = !drag.preview.refusal;
  std::vector<NestHint> hint{
      {QString::fromStdString(legal ? drag.line : drag.preview.refusal->title), !legal}};
  if (legal && known && outlook->line == drag.line)
    hint.push_back({QString::fromStdString(outlook->words), false});
  for (session::MemoryForecast const& memory : drag.preview.memories) {
    hint.push_back({QString::fromStdString(memory.words), memory.overflows()});
    if (memory.overflows()) hint.push_back({QString::fromStdString(memory.parts), true});
  }
  return hint;
}

std::vector<Part> LoopNestScene::parts() const {
  std::vector<Part> parts;
  for (NestItem const& item : layout.items) {
    if (!item.bar) {
      parts.push_back({item.rect, head_words(*item.stage)});
      continue;
    }
    QString marked = item.bar->consequence.empty()
                         ? QString()
                         : ", " + QString::fromStdString(item.bar->consequence);
    parts.push_back({item.rect,
                     QString("%1, %2 iterations%3")
                         .arg(QString::fromStdString(item.bar->reference))
                         .arg(item.bar->extent)
                         .arg(marked),
                     item.bar->id == selection.loop()});
  }
  for (NestItem const& item : layout.items)
    if (session::MoveView const* move = item.bar ? move_of(item.bar->id) : nullptr)
      parts.push_back({mark_of(item.bar->id), mark_name(*move)});
  for (NestNote const& note : layout.notes)
    parts.push_back(
        {note.rect, note.barrier ? barrier_words(*note.barrier)
                                 : memory_words(*note.memory) + ": " + tensor_words(*note.memory)});
  return parts;
}

}  // namespace tw
