#include "engine/ir/speculation.h"

#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

bool is_load(Expr const& e) { return e.as<Load>() != nullptr; }

bool may_divide_by_zero(Expr const& e) {
  auto const* node = e.as<Binary>();
  if (!node || (node->op != BinaryOp::kFloorDiv && node->op != BinaryOp::kFloorMod)) return false;
  Expr divisor = node->b;
  while (auto const* spread = divisor.as<Broadcast>()) divisor = spread->value;
  return as_int(divisor).value_or(0) == 0;
}

bool no_part(Expr const& e, bool (*is_bad)(Expr const&)) {
  bool found = false;
  walk(e, [&](Expr const& part) { return found = found || is_bad(part), !found; });
  return !found;
}

}  // namespace

bool reads_tensor(Expr const& e) { return !no_part(e, is_load); }

bool divides_safely(Expr const& e) { return no_part(e, may_divide_by_zero); }

bool safe_to_speculate(Expr const& e) { return !reads_tensor(e) && divides_safely(e); }

}  // namespace tw::ir
