// for k in 8: for i in 4: if t*4+i < 10: S   -->   if t*4 < 7: for k in 8: for i in 4: S
//                                                  else: for k in 8: for i in 4: if t*4+i < 10: S
#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/guarded_effects.h"
#include "engine/lowering/pipeline.h"
#include "engine/tensor/integers.h"

namespace tw {
namespace {

using namespace ir;

/// Iterations of the loops that a guard asks about: of more, hardly ever all are whole.
constexpr int64_t kMostAsked = 64;
/// Times that a guard is asked: of less, a second version of the code costs more.
constexpr int64_t kLeastTimes = 8;
/// What a nest does, to be there a second time.
constexpr int kMostEffects = 2;

/// A guard without the counters of the loops that it is asked in.
struct Hoisted {
  Expr guard;
  Expr condition;     ///< where it holds, the guard does in every iteration
  bool exact = true;  ///< and where it does not, in none
  int64_t asked = 1;  ///< iterations of the loops that the guard depends on
};

bool uses_any(Expr const& e, Loops const& loops) {
  return std::ranges::any_of(loops,
                             [&](For const* loop) { return uses_variable(e, loop->name()); });
}

/// The part of a guard that changes in the loops; the rest stays the same.
struct Changing {
  arith::Interval range{0, 0};
  arith::Linear rest;
};

std::optional<Changing> changing_of(arith::Linear const& sum, Loops const& inside) {
  arith::Ranges ranges;
  for (For const* loop : inside)
    if (auto extent = as_int(loop->extent)) ranges.set(loop->name(), {0, *extent - 1});
  Changing split;
  for (arith::Linear::Term const& term : sum.terms) {
    if (!uses_any(term.term, inside)) {
      split.rest.terms.push_back(term);
      continue;
    }
    auto range = arith::bounds(term.term * term.factor, ranges);
    if (!range) return std::nullopt;
    split.range.low += range->low;
    split.range.high += range->high;
  }
  return split;
}

/// rest / step <= most, without negative numbers.
Expr at_most(arith::Linear const& rest, int64_t step, int64_t most) {
  arith::Linear left, right;
  for (arith::Linear::Term const& term : rest.terms)
    (term.factor > 0 ? left : right).terms.push_back({term.term, std::abs(term.factor) / step});
  (most >= 0 ? right : left).constant = most >= 0 ? most + 1 : -most - 1;
  return arith::to_expr(left) < arith::to_expr(right);
}

/// rest + changing <= limit for the greatest value that changes, and whether that is the same for
/// the least one: the rest only takes multiples of its common factor.
Hoisted hoisted_sum(Expr const& guard, Changing const& split, int64_t limit) {
  int64_t step = 0;
  for (arith::Linear::Term const& term : split.rest.terms) step = std::gcd(step, term.factor);
  int64_t most = floor_quotient(limit - split.range.high, step);
  return {.guard = guard,
          .condition = arith::simplify(at_most(split.rest, step, most)),
          .exact = most == floor_quotient(limit - split.range.low, step)};
}

std::optional<Hoisted> hoisted_of(Expr const& guard, Loops const& inside) {
  if (!safe_to_speculate(guard)) return std::nullopt;
  if (!uses_any(guard, inside)) return Hoisted{guard, guard};
  auto const* node = guard.as<Binary>();
  if (!node || node->a.type() != DType::kI64 ||
      (node->op != BinaryOp::kLt && node->op != BinaryOp::kLe))
    return std::nullopt;
  arith::Linear sum = arith::add(arith::to_linear(node->a), arith::to_linear(node->b), -1);
  auto split = changing_of(sum, inside);
  if (!split || split->rest.terms.empty()) return std::nullopt;
  Hoisted hoisted = hoisted_sum(guard, *split, (node->op == BinaryOp::kLt ? -1 : 0) - sum.constant);
  for (For const* loop : inside)
    if (uses_variable(guard, loop->name())) hoisted.asked *= as_int(loop->extent).value_or(1);
  return hoisted;
}

/// What a nest does once in its loops.
struct Done {
  std::vector<Hoisted> guards;
  int64_t times = 1;
};

std::vector<Done> effects_of(Stmt const& nest) {
  std::vector<Done> effects;
  each_effect(nest, {}, {}, [&](std::vector<Expr> const& guards, Loops const& inside) {
    Done done;
    for (Expr const& guard : guards)
      if (auto hoisted = hoisted_of(guard, inside)) done.guards.push_back(std::move(*hoisted));
    for (For const* loop : inside) done.times *= as_int(loop->extent).value_or(kLeastTimes);
    effects.push_back(std::move(done));
  });
  return effects;
}

/// Those of the first that stand around all.
std::vector<Hoisted> common_guards(std::vector<Done> const& effects) {
  if (effects.empty()) return {};
  std::vector<Hoisted> common = effects[0].guards;
  for (Done const& other : effects)
    std::erase_if(common, [&](Hoisted const& one) {
      return std::ranges::none_of(other.guards, [&](Hoisted const& its) {
        return equal(one.guard, its.guard) && equal(one.condition, its.condition);
      });
    });
  return common;
}

Expr all_of(std::vector<Hoisted> const& guards) {
  Expr all;
  for (Hoisted const& one : guards) all = all ? all && one.condition : one.condition;
  return all;
}

Stmt without(Stmt const& nest, std::vector<Hoisted> const& guards) {
  return rewrite_stmts(nest, [&](Stmt const& s) -> Stmt {
    auto const* test = s.as<If>();
    if (!test || test->else_body) return nullptr;
    Expr kept;
    for (Expr const& part : conjuncts(test->condition))
      if (std::ranges::none_of(guards, [&](Hoisted const& one) { return equal(part, one.guard); }))
        kept = kept ? kept && part : part;
    return kept ? make_from<If>(test->origin, kept, test->then_body) : test->then_body;
  });
}

/// What others wait for, or do together, is not left to some of them.
bool is_alone(Stmt const& nest) {
  bool alone = true;
  walk(nest, [&](Stmt const& s) {
    auto const* test = s.as<If>();
    auto const* loop = s.as<For>();
    bool bound =
        loop && (loop->loop_kind == LoopKind::kBind || loop->loop_kind == LoopKind::kParallel);
    bool meets = s.as<IntrinsicCall>() && !starts_copy(s);
    alone = alone && !(test && test->else_body) && !bound && !meets;
    return alone;
  });
  return alone;
}

class Unswitching : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (!s.as<For>() || !is_alone(s)) return rebuild(s);
    return unswitch_exact(s);
  }

private:
  /// Guards that hold in all iterations or in none: no second version.
  Stmt unswitch_exact(Stmt const& nest) {
    std::vector<Done> effects = effects_of(nest);
    std::vector<Hoisted> guards = common_guards(effects);
    std::erase_if(guards, [](Hoisted const& one) { return !one.exact; });
    if (guards.empty()) return unswitch(nest, effects);
    Stmt inside = without(nest, guards);
    return make_from<If>(nest->origin, all_of(guards), unswitch(inside, effects_of(inside)));
  }

  Stmt unswitch(Stmt const& nest, std::vector<Done> const& effects) {
    std::vector<Hoisted> guards = common_guards(effects);
    std::erase_if(guards, [](Hoisted const& one) {
      return one.asked > kMostAsked || is_int(one.condition, 0);
    });
    bool pays =
        !guards.empty() && effects.size() <= kMostEffects &&
        std::ranges::all_of(effects, [](Done const& one) { return one.times >= kLeastTimes; });
    if (!pays) return rebuild(nest);
    return make_from<If>(nest->origin, all_of(guards), without(nest, guards), nest);
  }
};

Result<KernelIr> run_unswitch_guards(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Unswitching().visit(body); });
}

}  // namespace

Pass unswitch_guards() {
  return {"unswitch_guards",
          "Unswitches small loops on a condition under which their guards hold in every iteration",
          "after barriers: the condition may differ between threads, which must all meet",
          run_unswitch_guards,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
