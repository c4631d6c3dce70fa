#include "engine/session/facts/loop_words.h"

#include "engine/ir/loop_words.h"

namespace tw::session {

std::string_view name_of(LoopMark mark) {
  auto kind = ir::LoopKind(int(mark));
  return kind == ir::LoopKind::kSerial ? ir::adjective(kind) : ir::keyword(kind);
}

std::span<std::string_view const> loop_keywords() { return ir::kLoopKeywords; }

}  // namespace tw::session
