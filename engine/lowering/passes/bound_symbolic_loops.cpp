// size T; for o in (10+T-1)//T: for i in T: if o*T+i < 10: S
//   -->   size T; for o in (10+T-1)//T: if 1 <= 10-o*T: for i in min(T, 10-o*T): S
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/known_sizes.h"
#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/guarded_effects.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// How many first iterations a comparison holds for; null where it says nothing of the kind.
Expr iterations_of(Expr const& e, std::string const& counter, Loops const& inside) {
  auto const* node = e.as<Binary>();
  if (!node || node->op != BinaryOp::kLt || node->a.type() != DType::kI64) return nullptr;
  arith::Linear reach = arith::to_linear(node->a), limit = arith::to_linear(node->b);
  int64_t factor = reach.factor_of(counter) - limit.factor_of(counter);
  if (factor <= 0 || limit.factor_of(counter) != 0) return nullptr;
  reach = arith::add(reach, arith::to_linear(var(counter)), -factor);
  Expr room = arith::to_expr(limit) - arith::to_expr(reach);
  auto uses = [&](For const* loop) { return uses_variable(room, loop->name()); };
  if (uses_variable(room, counter) || std::ranges::any_of(inside, uses)) return nullptr;
  return factor == 1 ? room : floor_div(room + (factor - 1), int_imm(factor));
}

Expr all_of(std::vector<Expr> const& conditions) {
  Expr all;
  for (Expr const& one : conditions) all = all ? all && one : one;
  return all;
}

/// The guards that only say where a loop ends: of loops of open extent, and of constant ones where
/// it is not known before the kernel runs.
class Bounding : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    if (!loop) return rebuild(s);
    bool constant = as_int(loop->extent).has_value(), lanes = loop->loop_kind == LoopKind::kVector;
    bool added = constant && known_.insert(loop->name()).second;
    if (lanes) lanes_.push_back(loop->name());
    Stmt body = visit(loop->body);
    if (lanes) lanes_.pop_back();
    if (added) known_.erase(loop->name());
    if (constant && loop->loop_kind != LoopKind::kSerial)
      return body.same_as(loop->body) ? s : with(*loop, loop->extent, body);
    return bounded(*loop, body);
  }

private:
  static Stmt with(For const& loop, Expr const& extent, Stmt const& body) {
    return make_from<For>(loop.origin, loop.id, loop.var, extent, loop.loop_kind, body, loop.bind);
  }

  /// Of counters of constant loops only: such guards are left to partitioning.
  bool is_known(Expr const& room) const {
    bool known = true;
    walk(room, [&](Expr const& e) {
      auto const* used = e.as<Variable>();
      known = known && (!used || known_.contains(used->name));
      return known;
    });
    return known;
  }

  /// Every statement below stands under the same guard: the loop ends where it does. All lanes of a
  /// loop around run the same iterations: where their guards differ, they stay.
  Stmt bounded(For const& loop, Stmt const& body) const {
    Expr room = common_room(loop, body);
    bool differs = room && std::ranges::any_of(lanes_, [&](std::string const& name) {
                     return uses_variable(room, name);
                   });
    if (!room || differs || (as_int(loop.extent) && is_known(room)))
      return with(loop, loop.extent, body);
    Expr extent = min(loop.extent, room);
    Stmt rest = with(loop, extent, without(body, loop.name(), room));
    return make_from<If>(without_words(loop.origin), int_imm(1) <= room, rest);
  }

  static Expr common_room(For const& loop, Stmt const& body) {
    Expr common;
    bool same = true;
    each_effect(body, {}, {}, [&](std::vector<Expr> const& guards, Loops const& inside) {
      Expr here;
      for (Expr const& guard : guards)
        if (Expr room = iterations_of(guard, loop.name(), inside)) here = here ? here : room;
      same = same && here && (!common || equal(common, here));
      common = here;
    });
    return same ? common : nullptr;
  }

  /// The guards that leave this room to the counter are gone.
  static Stmt without(Stmt const& body, std::string const& counter, Expr const& room) {
    return rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
      auto const* test = s.as<If>();
      if (!test || test->else_body) return nullptr;
      std::vector<Expr> kept;
      for (Expr const& part : conjuncts(test->condition)) {
        Expr here = iterations_of(part, counter, {});
        if (!here || !equal(here, room)) kept.push_back(part);
      }
      if (kept.empty()) return test->then_body;
      return make_from<If>(test->origin, all_of(kept), test->then_body);
    });
  }

  std::set<std::string> known_;     // counters of constant loops around
  std::vector<std::string> lanes_;  // counters of vector loops around
};

/// Tensors that the kernel has for itself are as large as they are with any value.
Result<Stmt> with_constant_tensors(Function const& function) {
  arith::Ranges const ranges = arith::ranges_of(function.sizes);
  Status status;
  Stmt body = rewrite_stmts(function.body, [&](Stmt const& s) -> Stmt {
    auto const* alloc = s.as<Alloc>();
    if (!alloc || constant_shape(*alloc->buffer)) return nullptr;
    BufferNode node = *alloc->buffer;
    for (Expr& extent : node.shape) {
      auto bounds = arith::bounds(extent, ranges);
      if (!bounds)
        status = refused("allocation_not_supported",
                         fmt::format("the maximum size of the tensor {} is not known", node.name));
      else
        extent = int_imm(bounds->high);
    }
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    return make_from<Alloc>(alloc->origin, buffer,
                            replace_buffer(alloc->body, buffer->name, buffer));
  });
  TRY(status);
  return body;
}

Result<KernelIr> run_bound_symbolic_loops(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    if (function.sizes.empty()) return function;
    Function next = function;
    TRY_ASSIGN(Stmt body, with_constant_tensors(function));
    next.body = Bounding().visit(body);
    return next;
  });
}

}  // namespace

Pass bound_symbolic_loops() {
  return {"bound_symbolic_loops",
          "Bounds loops by the guards of symbolic sizes, and allocates tensors of symbolic extent "
          "for the maximum",
          "after tails of symbolic loops were peeled, which leaves such guards in the tails, and "
          "before loops are partitioned, which leaves loops of symbolic extent as they are",
          run_bound_symbolic_loops,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
