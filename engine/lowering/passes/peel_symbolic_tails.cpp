// size n; for o in (n+7)//8: unroll i in 8: if o*8+i < n: S
//   -->   let w = n//8: for o in w: unroll i in 8: S;  if n-w*8 == 1: S (o = w, i in 1);  ...
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/guarded_effects.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Stores that all remainders of a kernel may become together, written out: beyond this, guards
/// stay in the remainder.
constexpr int64_t kMostRemainders = 1024;

/// A guard that tells how many of a loop's iterations are whole: factor * counter + tile + rest <=
/// limit, where the tile takes the values 0..top while one iteration runs.
struct Guard {
  Expr condition;
  int64_t factor = 0, top = 0, limit = 0;
  arith::Linear tile, rest;
  bool fixed = true;  ///< lanes and copies only: they need numbers
};

bool uses_any(Expr const& e, Loops const& loops) {
  return std::ranges::any_of(loops,
                             [&](For const* loop) { return uses_variable(e, loop->name()); });
}

/// The loop whose counter a term is; null: it is another term.
For const* loop_of(Expr const& term, Loops const& loops) {
  auto const* counter = term.as<Variable>();
  auto found = std::ranges::find_if(
      loops, [&](For const* loop) { return counter && loop->name() == counter->name; });
  return found == loops.end() ? nullptr : *found;
}

/// Adds a term of the guard; false where it is none that can be cut at.
bool add_term(Guard& guard, arith::Linear::Term const& term, std::string const& counter,
              Loops const& inside) {
  auto const* variable = term.term.as<Variable>();
  if (variable && variable->name == counter) {
    guard.factor = term.factor;
    return true;
  }
  For const* loop = loop_of(term.term, inside);
  if (!loop) {
    guard.rest.terms.push_back(term);
    return !uses_variable(term.term, counter) && !uses_any(term.term, inside);
  }
  auto extent = as_int(loop->extent);
  if (!extent || term.factor < 0) return false;
  guard.tile.terms.push_back(term);
  guard.top += term.factor * (*extent - 1);
  guard.fixed =
      guard.fixed && (loop->loop_kind == LoopKind::kUnroll || loop->loop_kind == LoopKind::kVector);
  return true;
}

std::optional<Guard> guard_of(Expr const& condition, std::string const& counter,
                              Loops const& inside) {
  auto const* node = condition.as<Binary>();
  if (!node || node->a.type() != DType::kI64 ||
      (node->op != BinaryOp::kLt && node->op != BinaryOp::kLe))
    return std::nullopt;
  arith::Linear sum = arith::add(arith::to_linear(node->a), arith::to_linear(node->b), -1);
  Guard guard{condition, 0, 0, (node->op == BinaryOp::kLt ? -1 : 0) - sum.constant, {}, {}};
  for (arith::Linear::Term const& term : sum.terms)
    if (!add_term(guard, term, counter, inside)) return std::nullopt;
  // Of several iterations that are not whole each would need a remainder of its own.
  bool one_remainder = guard.factor > 0 && guard.factor >= guard.top && guard.top > 0;
  return one_remainder ? std::optional(std::move(guard)) : std::nullopt;
}

/// The body with this guard as `by`, or without it where that is null.
Stmt with_guard(Stmt const& body, Expr const& guard, Expr const& by) {
  return rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
    auto const* test = s.as<If>();
    if (!test || test->else_body) return nullptr;
    Expr kept;
    for (Expr const& part : conjuncts(test->condition)) {
      Expr now = equal(part, guard) ? by : part;
      if (now) kept = kept ? kept && now : now;
    }
    return kept ? make_from<If>(test->origin, kept, test->then_body) : test->then_body;
  });
}

/// Stores below, as often as they will be written out.
int64_t written_out(Stmt const& s) {
  int64_t count = 0;
  each_effect(s, {}, {}, [&](std::vector<Expr> const&, Loops const& inside) {
    int64_t copies = 1;
    for (For const* loop : inside)
      if (loop->loop_kind == LoopKind::kUnroll) copies *= as_int(loop->extent).value_or(1);
    count += copies;
  });
  return count;
}

class Cutting : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    if (!loop) return rebuild(s);
    if (loop->loop_kind == LoopKind::kVector) return s;  // what is in it differs between lanes
    bool runs = loop->loop_kind == LoopKind::kSerial || loop->loop_kind == LoopKind::kParallel;
    if (runs)
      if (auto guard = common_guard(*loop)) return cut(*loop, *guard);
    bool known = as_int(loop->extent) && known_.insert(loop->name()).second;
    Stmt next = rebuild(s);
    if (known) known_.erase(loop->name());
    return next;
  }

private:
  /// That everything in the loop stands under, where it depends on what is not known yet.
  std::optional<Guard> common_guard(For const& loop) const {
    std::optional<std::vector<Guard>> common;
    each_effect(loop.body, {}, {}, [&](std::vector<Expr> const& guards, Loops const& inside) {
      std::vector<Guard> here;
      for (Expr const& condition : guards)
        if (auto guard = guard_of(condition, loop.name(), inside); guard && is_open(*guard))
          here.push_back(std::move(*guard));
      if (common) std::erase_if(here, [&](Guard const& one) { return !is_among(one, *common); });
      common = std::move(here);
    });
    if (!common || common->empty()) return std::nullopt;
    return common->front();
  }

  static bool is_among(Guard const& one, std::vector<Guard> const& list) {
    return std::ranges::any_of(list, [&](Guard const& other) {
      return equal(one.condition, other.condition) && one.top == other.top &&
             one.fixed == other.fixed;
    });
  }

  /// Where all counters around are those of constant loops these can be partitioned instead.
  bool is_open(Guard const& guard) const {
    bool open = false;
    for (arith::Linear::Term const& term : guard.rest.terms)
      walk(term.term, [&](Expr const& e) {
        auto const* used = e.as<Variable>();
        open = open || (used && !known_.contains(used->name));
        return !open;
      });
    return open;
  }

  /// The whole iterations, and then the one that may be left: at `whole`, of which `left` run.
  Stmt cut(For const& loop, Guard const& guard) {
    Expr whole = var(loop.name() + ".whole");
    Expr room = int_imm(guard.limit - guard.top) - arith::to_expr(guard.rest);
    Expr count = arith::simplify(floor_div(room + guard.factor, int_imm(guard.factor)));
    Stmt body = visit(with_guard(loop.body, guard.condition, nullptr));
    Stmt main = make_from<For>(loop.origin, loop.id, loop.var, min(loop.extent, whole),
                               loop.loop_kind, body, loop.bind);
    main = make_from<If>(loop.origin, int_imm(1) <= whole, main);
    Stmt rest = make_from<If>(loop.origin, int_imm(0) <= whole && whole < loop.extent,
                              remainder(loop, guard, whole));
    return make_from<Let>(loop.origin, whole, count, seq({main, rest}));
  }

  Stmt remainder(For const& loop, Guard const& guard, Expr const& whole) {
    Substitution at{{loop.name(), whole}};
    int64_t copies = guard.top * written_out(loop.body);
    if (!guard.fixed || remainders_ + copies > kMostRemainders)
      return visit(substitute(loop.body, at));
    remainders_ += copies;
    Expr left = var(loop.name() + ".left");
    Expr count = arith::simplify(int_imm(guard.limit + 1) - arith::to_expr(guard.rest) -
                                 whole * guard.factor);
    Stmt cases;
    for (int64_t number = guard.top; number > 0; --number) {
      Expr runs = arith::to_expr(guard.tile) < int_imm(number);
      Stmt body = visit(substitute(with_guard(loop.body, guard.condition, runs), at));
      // One after the other's "else": code makes a table of them.
      cases = make_from<If>(loop.origin, binary(BinaryOp::kEq, left, int_imm(number)), body, cases);
    }
    return make_from<Let>(loop.origin, left, count, cases);
  }

  std::set<std::string> known_;  // counters of constant loops around
  int64_t remainders_ = 0;
};

Result<KernelIr> run_peel_symbolic_tails(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    if (function.sizes.empty()) return function;
    Function next = function;
    next.body = Cutting().visit(function.body);
    return next;
  });
}

}  // namespace

Pass peel_symbolic_tails() {
  return {"peel_symbolic_tails",
          "Peels the tail of symbolically bounded loops, with one version of its vectors and "
          "unrolled copies for each length",
          "after guards were simplified, and before loops are bounded and partitioned: the main "
          "part has no guards then, and the tail has constant ones",
          run_peel_symbolic_tails,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
