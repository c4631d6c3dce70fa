#include "engine/session/views/tensor_cards.h"

#include <algorithm>

#include "engine/ir/accesses.h"
#include "engine/ir/stmt.h"
#include "engine/ir/strides.h"
#include "engine/tensor/dtype.h"

namespace tw::session {
namespace {

TensorCard card_of(ir::BufferNode const& buffer) {
  TensorCard card;
  card.name = buffer.name;
  card.dtype = std::string(to_text(buffer.type));
  if (buffer.scope != "global" && buffer.scope != ir::kParameterScope) card.memory = buffer.scope;
  if (auto shape = ir::constant_shape(buffer)) {
    card.shape = *shape;
    card.bytes = int64_t(*ir::elements_in_memory(buffer) * size_of(buffer.type));
  }
  return card;
}

void add(std::vector<std::string>& names, std::string const& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::vector<TensorCard> tensor_cards(ir::Program const& program) {
  std::vector<TensorCard> cards;
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    for (ir::BlockAccess const& access : ir::accesses_of(*site.block)) {
      if (access.kind == ir::AccessKind::kHint) continue;
      auto card = std::ranges::find(cards, access.buffer->name, &TensorCard::name);
      if (card == cards.end()) card = cards.insert(card, card_of(*access.buffer));
      add(access.kind == ir::AccessKind::kWrite ? card->writers : card->readers, site.block->name);
    }
  return cards;
}

}  // namespace tw::session
