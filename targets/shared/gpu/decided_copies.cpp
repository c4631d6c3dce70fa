#include "targets/shared/gpu/decided_copies.h"

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr size_t kMostCopies = 64;

/// It depends on nothing else.
bool is_decided_by(Expr const& condition, Counters const& unrolled) {
  bool decided = true;
  walk(condition, [&](Expr const& e) {
    auto const* used = e.as<Variable>();
    if (used)
      decided = decided && std::ranges::find(unrolled, used->name, &Counters::value_type::first) !=
                               unrolled.end();
    decided = decided && !e.as<Load>();
    return decided;
  });
  return decided;
}

/// Of the choices in a value, those conditions.
std::vector<Expr> decided_conditions(Expr const& value, Counters const& unrolled) {
  std::vector<Expr> conditions;
  walk(value, [&](Expr const& e) {
    auto const* choice = e.as<Select>();
    if (choice && is_decided_by(choice->condition, unrolled))
      conditions.push_back(choice->condition);
    return true;
  });
  return conditions;
}

}  // namespace

std::vector<Expr> decided_copies(Expr const& value, Counters const& unrolled) {
  std::vector<Expr> copies{value}, conditions = decided_conditions(value, unrolled);
  for (auto const& [name, extent] : unrolled) {
    bool decides = std::ranges::any_of(
        conditions, [&](Expr const& condition) { return uses_variable(condition, name); });
    if (!decides) continue;
    if (copies.size() * size_t(extent) > kMostCopies) return {value};
    std::vector<Expr> more;
    for (Expr const& copy : copies)
      for (int64_t i = 0; i < extent; ++i) more.push_back(substitute(copy, {{name, int_imm(i)}}));
    copies = std::move(more);
  }
  if (!conditions.empty())
    for (Expr& copy : copies) copy = arith::simplify(copy);
  return copies;
}

}  // namespace tw::gpu
