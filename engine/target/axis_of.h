/// The axis of a target that a loop is bound to.
#pragma once

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/target/target.h"

namespace tw {

/// Null: it is not bound, or to an axis that the target does not have.
inline ThreadAxis const* axis_of(Target const& target, ir::For const& loop) {
  if (loop.loop_kind != ir::LoopKind::kBind) return nullptr;
  auto found = std::ranges::find(target.axes, loop.bind, &ThreadAxis::name);
  return found == target.axes.end() ? nullptr : &*found;
}

}  // namespace tw
