// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/loop_nest_layout.h"

#include <QStringList>
#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"

namespace tw {

using namespace loop_nest_metrics;
using session::LoopBar;

namespace {

/// It has a place of its own, which is none of its loops.
bool stands_between(session::NestView const& nest, session::StageCard const& stage) {
  return std::ranges::any_of(nest.barriers, [&](session::BarrierLine const& line) {
    return line.doc.empty() && line.name == stage.name;
  });
}

double add_head(LoopNestLayout& layout, session::StageCard const& stage, int depth, double y) {
  double left = 16 + (depth > 0 ? 8 + kIndent * depth : 0);
  layout.items.push_back({nullptr, &stage, QRectF(left, y + 6, 460, kHead - 14)});
  return y + kHead;
}

double add_barriers(LoopNestLayout& layout, int before, double y) {
  for (session::BarrierLine const& barrier : layout.nest->barriers) {
    if (barrier.before != before) continue;
    int depth = 0;
    for (LoopBar const& bar : layout.nest->bars)
      if (bar.id == barrier.loop) depth = bar.depth + 1;
    auto stage = std::ranges::find(layout.nest->stages, barrier.name, &session::StageCard::name);
    if (stage != layout.nest->stages.end() && stands_between(*layout.nest, *stage)) {
      y = add_head(layout, *stage, depth, y);
      continue;
    }
    layout.notes.push_back(
        {&barrier, nullptr, QRectF(kLeft + kIndent * depth, y + 2, 330, kBarrier - 4)});
    y += kBarrier;
  }
  return y;
}

double add_memories(LoopNestLayout& layout, double width, double y) {
  for (session::MemoryCard const& memory : layout.nest->memories) {
    layout.notes.push_back({nullptr, &memory, QRectF(16, y, std::max(width - 32, 200.0), kMemory)});
    y += kMemory;
  }
  return y;
}

}  // namespace

LoopNestLayout lay_out_nest(std::shared_ptr<session::NestView const> nest, double width) {
  LoopNestLayout layout{std::move(nest)};
  double y = 8, right = 0;
  int stage = -1;
  if (layout.nest)
    y = add_memories(layout, width, y);  // first: how full they are is seen without scrolling
  for (size_t i = 0; layout.nest && i < layout.nest->bars.size(); ++i) {
    LoopBar const& bar = layout.nest->bars[i];
    size_t const items = layout.items.size();
    y = add_barriers(layout, int(i), y);
    session::StageCard const& owner = layout.nest->stages[size_t(bar.stage)];
    if ((bar.stage != stage || layout.items.size() > items) && !stands_between(*layout.nest, owner))
      y = add_head(layout, owner, bar.depth, y);
    stage = bar.stage;
    QRectF rect(kLeft + kIndent * bar.depth, y + (kRow - kBar) / 2, bar_width(bar.extent), kBar);
    layout.items.push_back({&bar, nullptr, rect});
    right = std::max(right, rect.right());
    y += kRow;
  }
  if (layout.nest) y = add_barriers(layout, int(layout.nest->bars.size()), y);
  // Footprints stand at the bars that they are of: a wide pane does not draw them apart.
  layout.footprint_left = std::min(std::max(right + kBeside, width - kGraph - 82), right + kApart);
  layout.least = QSizeF(right + kBeside + 30, y + 16);
  return layout;
}

QSizeF LoopNestLayout::size() const {
  double bottom = items.empty() ? 176 : items.back().rect.bottom();
  for (NestNote const& note : notes) bottom = std::max(bottom, note.rect.bottom());
  return {720, bottom + 24};
}

NestItem const* LoopNestLayout::item_at(QPointF at) const {
  for (NestItem const& item : items)
    if (item.bar && at.y() >= item.rect.top() - 5 && at.y() < item.rect.bottom() + 5) return &item;
  return nullptr;
}

NestItem const* LoopNestLayout::head_at(QPointF at) const {
  for (NestItem const& item : items)
    if (!item.bar && item.rect.contains(at)) return &item;
  return nullptr;
}

NestItem const* LoopNestLayout::item_of(int loop) const {
  for (NestItem const& item : items)
    if (item.bar && item.bar->id == loop) return &item;
  return nullptr;
}

QRectF LoopNestLayout::handle_of(int loop) const {
  NestItem const* item = item_of(loop);
  return item ? QRectF(item->rect.right() - 18, item->rect.top(), 18, item->rect.height())
              : QRectF();
}

std::vector<LoopBar const*> LoopNestLayout::chain_of(NestItem const& member) const {
  std::vector<LoopBar const*> chain;
  for (NestItem const& item : items)
    if (item.bar && item.bar->stage == member.bar->stage) chain.push_back(item.bar);
  return chain;
}

int LoopNestLayout::slot_of(NestItem const& member) const {
  std::vector<LoopBar const*> chain = chain_of(member);
  return int(std::find(chain.begin(), chain.end(), member.bar) - chain.begin());
}

int LoopNestLayout::slot_beyond(NestItem const& member, double y) const {
  std::vector<LoopBar const*> chain = chain_of(member);
  NestItem const* first = item_of(chain.front()->id);
  NestItem const* last = item_of(chain.back()->id);
  if (y < first->rect.top() && y > first->rect.top() - kRow) return 0;
  bool below = y > last->rect.bottom() && y < last->rect.bottom() + 2 * kRow;
  return below ? int(chain.size()) - 1 : -1;
}

QString LoopNestLayout::reorder_line(NestItem const& moved, int slot) const {
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

}  // namespace tw
