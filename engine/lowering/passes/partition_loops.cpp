// for o in 3: for i in 4: if o*4+i < 10: S   -->   for o in 2: for i in 4: S;  for i in 2: S (o =
// 2)
#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/tensor/integers.h"

namespace tw {
namespace {

using namespace ir;

constexpr int kMostStatements =
    4096;  // beyond this, guards stay: code size costs more than a compare

/// For `a < b` or `a <= b`: a - b as a linear form that must be below 0 (strict) or at most 0.
struct Guard {
  arith::Linear difference;
  int64_t limit = 0;  // holds when difference <= limit
};

std::optional<Guard> guard_of(Expr const& e) {
  auto const* node = e.as<Binary>();
  if (!node || node->a.type() != DType::kI64 ||
      (node->op != BinaryOp::kLt && node->op != BinaryOp::kLe))
    return std::nullopt;
  return Guard{arith::add(arith::to_linear(node->a), arith::to_linear(node->b), -1),
               node->op == BinaryOp::kLt ? -1 : 0};
}

int count_stores(Stmt const& s) {
  int count = 0;
  walk(s, [&](Stmt const& x) { return count += x.as<Store>() != nullptr, true; });
  return count;
}

class Partition : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }

  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    if (!loop) return rebuild(s);
    auto extent = as_int(loop->extent);
    if (!extent) return rebuild(s);
    if (loop->loop_kind == LoopKind::kVector) return vector_loop(*loop, *extent, s);
    int64_t cut = *extent;
    if (statements_ < kMostStatements) cut = boundary(*loop, *extent);
    if (cut > 0 && cut < *extent) {
      statements_ += count_stores(loop->body);
      Stmt main = visit_loop(part(*loop, 0, cut));
      Stmt tail = visit_loop(part(*loop, cut, *extent));
      return seq({main, tail});
    }
    return visit_loop(s);
  }

private:
  /// Goes on below a loop, or below its body when the loop was reduced to one iteration.
  Stmt visit_loop(Stmt const& s) {
    auto const* loop = s.as<For>();
    if (!loop) return visit(s);
    ranges_.set(loop->name(), {0, *as_int(loop->extent) - 1});
    Stmt body = visit(arith::simplify(loop->body, ranges_));
    ranges_.erase(loop->name());
    return make_from<For>(loop->origin, loop->id, loop->var, loop->extent, loop->loop_kind, body,
                          loop->bind);
  }

  /// Iterations [from, to): a loop of its own, or its body where it is one iteration.
  Stmt part(For const& loop, int64_t from, int64_t to) {
    if (to - from == 1)
      return arith::simplify(substitute(loop.body, {{loop.name(), int_imm(from)}}), ranges_);
    Stmt body = from == 0 ? loop.body : substitute_below(loop.body, loop.name(), loop.var + from);
    LoopKind kind =
        from == 0 || loop.loop_kind != LoopKind::kParallel ? loop.loop_kind : LoopKind::kSerial;
    return make_from<For>(loop.origin, loop.id, loop.var, int_imm(to - from), kind, body,
                          loop.bind);
  }
  static Stmt substitute_below(Stmt const& body, std::string const& name, Expr const& by) {
    return substitute(body, {{name, by}});
  }

  /// How many leading iterations have a guard below that always holds: the least over all guards
  /// that grow with the loop; the extent when there is none.
  int64_t boundary(For const& loop, int64_t extent) {
    int64_t cut = extent;
    arith::Ranges ranges = ranges_;
    collect(loop.body, ranges, [&](Guard const& guard) {
      int64_t factor = guard.difference.factor_of(loop.name());
      if (factor <= 0) return;
      arith::Linear rest = arith::add(guard.difference, arith::to_linear(loop.var), -factor);
      auto range = arith::bounds(arith::to_expr(rest), ranges);
      // The part of the rest that belongs to loops around is not known: only the worst case counts.
      if (!range) return;
      int64_t always = floor_quotient(guard.limit - range->high, factor) + 1;
      if (always > 0 && always < cut) cut = always;
    });
    return cut;
  }

  template <typename F>
  void collect(Stmt const& s, arith::Ranges& ranges, F const& f) {
    if (auto const* loop = s.as<For>()) {
      if (auto extent = as_int(loop->extent)) ranges.set(loop->name(), {0, *extent - 1});
      return collect(loop->body, ranges, f);
    }
    if (auto const* list = s.as<Seq>())
      for (Stmt const& child : list->stmts) collect(child, ranges, f);
    if (auto const* alloc = s.as<Alloc>()) return collect(alloc->body, ranges, f);
    auto const* test = s.as<If>();
    if (!test) return;
    for (Expr const& part : conjuncts(test->condition))
      if (auto guard = guard_of(part)) f(*guard);
    collect(test->then_body, ranges, f);
    if (test->else_body) collect(test->else_body, ranges, f);
  }

  /// `vector i in 16: if i < 3: S` runs three lanes.
  Stmt vector_loop(For const& loop, int64_t extent, Stmt const& s) {
    auto const* test = loop.body.as<If>();
    if (!test || test->else_body) return visit_loop(s);
    for (Expr const& part : conjuncts(test->condition)) {
      auto guard = guard_of(part);
      if (!guard || guard->difference.terms.size() != 1 ||
          guard->difference.factor_of(loop.name()) <= 0)
        continue;
      int64_t lanes = floor_quotient(guard->limit - guard->difference.constant,
                                     guard->difference.factor_of(loop.name())) +
                      1;
      if (lanes <= 0) return make<Seq>(std::vector<Stmt>{});
      if (lanes >= extent) continue;
      return visit(
          lanes == 1
              ? arith::simplify(substitute(loop.body, {{loop.name(), int_imm(0)}}), ranges_)
              : make_from<For>(loop.origin, loop.id, loop.var, int_imm(lanes), loop.loop_kind,
                               arith::simplify(loop.body, with(loop.name(), lanes)), loop.bind));
    }
    return visit_loop(s);
  }
  arith::Ranges with(std::string const& name, int64_t extent) const {
    arith::Ranges ranges = ranges_;
    ranges.set(name, {0, extent - 1});
    return ranges;
  }

  arith::Ranges ranges_;
  int statements_ = 0;
};

Result<KernelIr> run_partition_loops(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Partition().visit(body); });
}

}  // namespace

Pass partition_loops() {
  return {
      "partition_loops",
      "Peels the remainders of guarded loops, so that the main part runs without conditions",
      "before vectorization: the remainder of a vector loop becomes a narrower vector, not a mask",
      run_partition_loops,
      {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode},
       .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
