#include "engine/ir/sharing.h"

#include "engine/ir/stmt.h"

namespace tw::ir {

bool Sharing::instance_per_iteration(For const& loop, BufferNode const& buffer) const {
  if (loop.loop_kind != LoopKind::kBind || interleaved.contains(loop.bind)) return true;
  auto axis = axes.find(loop.bind);
  auto memory = scopes.find(buffer.scope);
  return axis != axes.end() && memory != scopes.end() &&
         has_own_instance(axis->second, memory->second);
}

}  // namespace tw::ir
