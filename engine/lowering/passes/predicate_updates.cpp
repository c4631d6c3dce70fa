// for x: T += select(r < n, e, 0)   -->   if r < n: for x: T += e
#include <algorithm>
#include <optional>

#include "engine/ir/annotations.h"
#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Combining with it leaves every value as it is. Minus zero becomes zero by adding zero, and stays
/// what it is without: they are equal.
bool changes_nothing(Expr const& value, BinaryOp op) {
  bool reduces = op == BinaryOp::kAdd || op == BinaryOp::kMax || op == BinaryOp::kMin;
  return reduces && equal(value, neutral(op, value.type()));
}

/// `T = T op select(condition, term, neutral)`.
struct Update {
  Expr condition;
  Expr term;
  Binary const* combined;
};

std::optional<Update> update_of(Store const& store) {
  auto const* combined = store.value.as<Binary>();
  if (!combined) return std::nullopt;
  auto const* before = combined->a.as<Load>();
  auto const* chosen = combined->b.as<Select>();
  if (!before || !chosen || before->buffer->name != store.buffer->name ||
      !std::ranges::equal(before->indices, store.indices,
                          [](Expr const& a, Expr const& b) { return equal(a, b); }) ||
      !changes_nothing(chosen->b, combined->op))
    return std::nullopt;
  return Update{chosen->condition, chosen->a, combined};
}

Expr all_of(std::vector<Expr> const& conditions) {
  Expr all;
  for (Expr const& one : conditions) all = all ? all && one : one;
  return all;
}

Stmt under(std::vector<Expr> const& conditions, Stmt body) {
  if (conditions.empty()) return body;
  return make_from<If>(without_words(body->origin), all_of(conditions), body);
}

/// A statement, and the conditions that it is to stand under.
struct Guarded {
  Stmt stmt;
  std::vector<Expr> conditions = {};
};

class Guarding : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    Guarded guarded = guard(s);
    return under(guarded.conditions, std::move(guarded.stmt));
  }

private:
  Guarded guard(Stmt const& s) {
    if (auto const* store = s.as<Store>()) return guard_store(*store, s);
    auto const* loop = s.as<For>();
    if (!loop || loop->loop_kind == LoopKind::kParallel) return {rebuild(s)};
    return guard_loop(*loop);
  }

  /// What differs from lane to lane, or with the data, stays a choice between values; what may
  /// divide by zero stays behind the conditions before it.
  Guarded guard_store(Store const& store, Stmt const& s) {
    std::optional<Update> update = update_of(store);
    if (!update) return {s};
    std::vector<Expr> of_some, of_all;
    for (Expr const& condition : conjuncts(update->condition))
      (stays(condition) ? of_some : of_all).push_back(condition);
    if (of_all.empty()) return {s};
    Binary const& combined = *update->combined;
    Expr term = of_some.empty() ? update->term
                                : select(all_of(of_some), update->term, combined.b.to<Select>().b);
    return {make_from<Store>(s->origin, store.buffer, store.indices,
                             binary(combined.op, combined.a, term)),
            of_all};
  }

  /// Conditions that are the same in each iteration stand around the loop.
  Guarded guard_loop(For const& loop) {
    bool is_vector = loop.loop_kind == LoopKind::kVector;
    if (is_vector) lanes_.push_back(loop.name());
    Guarded body = guard(loop.body);
    if (is_vector) lanes_.pop_back();
    std::vector<Expr> inside, around;
    for (Expr const& condition : body.conditions)
      (uses_variable(condition, loop.name()) ? inside : around).push_back(condition);
    Stmt next = under(inside, std::move(body.stmt));
    return {make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, next,
                           loop.bind),
            around};
  }

  bool stays(Expr const& condition) const {
    return !safe_to_speculate(condition) ||
           std::ranges::any_of(
               lanes_, [&](std::string const& name) { return uses_variable(condition, name); });
  }

  std::vector<std::string> lanes_;
};

Result<KernelIr> run_predicate_updates(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Guarding().visit(body); });
}

}  // namespace

Pass predicate_updates() {
  return {"predicate_updates",
          "Replaces updates by select(c, x, 0) with conditional updates, hoisted out of the loops "
          "that do not change the condition",
          "after partitioning, which would cut loops for these conditions as for those of "
          "remainders, and before vectors, so that lanes share a condition",
          run_predicate_updates,
          {.needs = {Invariant::kNoBlocks}}};
}

}  // namespace tw
