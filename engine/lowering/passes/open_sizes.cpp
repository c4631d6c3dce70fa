// size T; for o in (10+T-1)//T: for i in T: if o*T+i < 10: S
//   -->   let T = sizes[0]: for o in (10+T-1)//T: if 1 <= 10-o*T: for i in min(T, 10-o*T): S
#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// How many first iterations a comparison holds for; null where it says nothing of the kind.
Expr iterations_of(Expr const& e, std::string const& counter,
                   std::vector<std::string> const& inside) {
  auto const* node = e.as<Binary>();
  if (!node || node->op != BinaryOp::kLt || node->a.type() != DType::kI64) return nullptr;
  arith::Linear reach = arith::to_linear(node->a), limit = arith::to_linear(node->b);
  int64_t factor = reach.factor_of(counter) - limit.factor_of(counter);
  if (factor <= 0 || limit.factor_of(counter) != 0) return nullptr;
  reach = arith::add(reach, arith::to_linear(var(counter)), -factor);
  Expr room = arith::to_expr(limit) - arith::to_expr(reach);
  auto uses = [&](std::string const& name) { return uses_variable(room, name); };
  if (uses(counter) || std::ranges::any_of(inside, uses)) return nullptr;
  return factor == 1 ? room : floor_div(room + (factor - 1), int_imm(factor));
}

Expr all_of(std::vector<Expr> const& conditions) {
  Expr all;
  for (Expr const& one : conditions) all = all ? all && one : one;
  return all;
}

/// Below a loop whose extent is open: the guards that only say where it ends.
class Bounding : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    if (!loop) return rebuild(s);
    Stmt body = visit(loop->body);
    if (as_int(loop->extent)) return body.same_as(loop->body) ? s : with(*loop, loop->extent, body);
    return bounded(*loop, body);
  }

private:
  static Stmt with(For const& loop, Expr const& extent, Stmt const& body) {
    return make_from<For>(loop.origin, loop.id, loop.var, extent, loop.loop_kind, body, loop.bind);
  }

  /// Every statement below stands under the same guard: the loop ends where it does.
  static Stmt bounded(For const& loop, Stmt const& body) {
    Expr room = common_room(loop, body);
    if (!room) return with(loop, loop.extent, body);
    Expr extent = min(loop.extent, room);
    Stmt rest = with(loop, extent, without(body, loop.name(), room));
    return make_from<If>(loop.origin, int_imm(1) <= room, rest);
  }

  static Expr common_room(For const& loop, Stmt const& body) {
    Expr common;
    bool same = true;
    each_store(body, {}, {},
               [&](std::vector<Expr> const& guards, std::vector<std::string> const& inside) {
                 Expr here;
                 for (Expr const& guard : guards)
                   if (Expr room = iterations_of(guard, loop.name(), inside))
                     here = here ? here : room;
                 same = same && here && (!common || equal(common, here));
                 common = here;
               });
    return same ? common : nullptr;
  }

  /// Calls `f` with the conditions around each store, and the loops below the one that is asked.
  template <typename F>
  static void each_store(Stmt const& s, std::vector<Expr> guards, std::vector<std::string> inside,
                         F const& f) {
    if (auto const* loop = s.as<For>()) {
      inside.push_back(loop->name());
      return each_store(loop->body, guards, inside, f);
    }
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) each_store(child, guards, inside, f);
      return;
    }
    if (auto const* alloc = s.as<Alloc>()) return each_store(alloc->body, guards, inside, f);
    auto const* test = s.as<If>();
    if (!test || test->else_body) return f(guards, inside);
    for (Expr const& part : conjuncts(test->condition)) guards.push_back(part);
    each_store(test->then_body, guards, inside, f);
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
};

/// The sizes are the elements of a tensor that comes before all others.
Function with_tensor(Function function) {
  std::string name = "sizes";
  while (std::ranges::any_of(function.params, [&](Buffer const& b) { return b->name == name; }))
    name += "_";
  Buffer sizes = make_buffer(name, DType::kI64, {int64_t(function.sizes.size())});
  for (size_t i = function.sizes.size(); i-- > 0;)
    function.body =
        make<Let>(function.sizes[i].var, load(sizes, {int_imm(int64_t(i))}), function.body);
  function.params.insert(function.params.begin(), sizes);
  function.sizes.clear();
  return function;
}

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    if (function.sizes.empty()) return function;
    Function next = function;
    next.body = Bounding().visit(function.body);
    return with_tensor(std::move(next));
  });
}

}  // namespace

Pass open_sizes() {
  return {"open_sizes",
          "Reads the sizes from a tensor that comes before all others, and ends loops of open "
          "extent where their guards do",
          "after guards were simplified, and before loops are partitioned, which leaves such loops "
          "as they are",
          run,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
