/// What is done below a loop, and under which conditions.
#pragma once

#include <vector>

#include "engine/ir/rewrite.h"

namespace tw {

using Loops = std::vector<ir::For const*>;

/// Calls `f` for all that is done below, with the conditions and the loops around it, those that
/// are handed over first. What stands in a `Let` counts as one.
template <typename F>
void each_effect(ir::Stmt const& s, std::vector<ir::Expr> guards, Loops inside, F const& f) {
  if (auto const* loop = s.as<ir::For>()) {
    inside.push_back(loop);
    return each_effect(loop->body, guards, inside, f);
  }
  if (auto const* list = s.as<ir::Seq>()) {
    for (ir::Stmt const& child : list->stmts) each_effect(child, guards, inside, f);
    return;
  }
  if (auto const* alloc = s.as<ir::Alloc>()) return each_effect(alloc->body, guards, inside, f);
  auto const* test = s.as<ir::If>();
  if (!test) return f(guards, inside);
  if (test->else_body) each_effect(test->else_body, guards, inside, f);
  for (ir::Expr const& part : ir::conjuncts(test->condition)) guards.push_back(part);
  each_effect(test->then_body, guards, inside, f);
}

}  // namespace tw
