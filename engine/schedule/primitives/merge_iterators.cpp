#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/names.h"

namespace tw::primitive_merge_iterators {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "merge_iterators: each loop around the block is a part of iterators of one kind, of which all "
    "iterations run, each another instance";

/// The kinds of the iterators that the loop is a part of, each once.
std::vector<IterKind> kinds_of(Block const& block, For const& loop) {
  std::vector<IterKind> kinds;
  for (IterVar const& iter : block.iters)
    if (uses_variable(iter.binding, loop.name()) &&
        std::ranges::find(kinds, iter.kind) == kinds.end())
      kinds.push_back(iter.kind);
  return kinds;
}

/// The iterator whose value the loop is, and nothing else's.
IterVar const* only_iterator(Block const& block, For const& loop) {
  IterVar const* only = nullptr;
  for (IterVar const& iter : block.iters) {
    if (!uses_variable(iter.binding, loop.name())) continue;
    auto const* v = iter.binding.as<Variable>();
    if (only || !v) return nullptr;
    only = &iter;
  }
  return only;
}

/// It runs once, and for no iterator.
bool is_idle(For const& loop, std::vector<IterKind> const& kinds) {
  return kinds.empty() && is_int(loop.extent, 1);
}

/// It depends on no loop.
bool is_still(IterVar const& iter, std::vector<For const*> const& loops) {
  return std::ranges::none_of(
      loops, [&](For const* loop) { return uses_variable(iter.binding, loop->name()); });
}

/// A sum starts where all of its iterators are 0, and with the loops' counters it still does.
bool starts_at_zero(BlockSite const& site) {
  Substitution zero;
  for (For const* loop : site.loops) zero[loop->name()] = int_imm(0);
  return std::ranges::all_of(site.block->iters, [&](IterVar const& iter) {
    return iter.kind != IterKind::kReduce ||
           is_int(arith::simplify(substitute(iter.binding, zero)), 0);
  });
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& site = request.blocks[0];
  std::string const& name = site.block->name;
  auto no = [&](std::string const& message) {
    return refuse_stage("loops_are_no_iterators", message, kCondition);
  };
  for (For const* loop : site.loops) {
    std::string at = reference_of(request.program, loop->id);
    IterVar const* own = only_iterator(*site.block, *loop);
    if (!as_int(loop->extent) || (own && !as_int(own->extent)))
      return refuse_stage("extent_unknown",
                          fmt::format("the extent of {} is not known before the kernel runs", at),
                          "merge_iterators: the extents of the loops must be constants");
    std::vector<IterKind> kinds = kinds_of(*site.block, *loop);
    if (is_idle(*loop, kinds) || own) continue;
    if (site.block->predicate && uses_variable(site.block->predicate, loop->name()))
      return no(fmt::format("{} does not run in all iterations of {}", name, at));
    if (kinds.empty()) return no(fmt::format("{} does not depend on {}", name, at));
    if (kinds.size() > 1)
      return no(fmt::format("{} is a part of a sum of {} and of its elements", at, name));
    if (kinds[0] != IterKind::kSpatial && kinds[0] != IterKind::kReduce)
      return no(fmt::format("iterations of {} have an order", at));
  }
  if (!runs_once(site, site.loops))
    return no(fmt::format("two iterations may run one instance of {}", name));
  if (!starts_at_zero(site))
    return no(fmt::format("the sums of {} do not begin with the first iterations", name));
  return Proof{"each iteration computes what it did, for the same element"};
}

/// One that counts a loop, with a name that the block has not.
IterVar counter_of(For const& loop, Block const& block) {
  std::string name = "v" + loop.name();
  auto taken = [&](IterVar const& iter) { return iter.name() == name; };
  while (std::ranges::any_of(block.iters, taken)) name += "_";
  return {var(name), loop.extent, kinds_of(block, loop)[0], loop.var, ""};
}

/// Indices and conditions in their simplest form. Values stay as they are written: a sum of
/// integers in another order would be no update of its element.
class Renewed : public Rewriter {
public:
  Renewed(Substitution const& by, arith::Ranges const& ranges) : by_(by), ranges_(ranges) {}
  Expr visit(Expr const& e) override {
    if (auto const* read = e.as<Load>()) return load(read->buffer, simple(read->indices));
    if (auto const* choice = e.as<Select>())
      return make<Select>(simple(choice->condition), visit(choice->a), visit(choice->b));
    return e.as<Variable>() ? substitute(e, by_) : rebuild(e);
  }
  Stmt visit(Stmt const& s) override {
    auto const* store = s.as<Store>();
    return store ? make_from<Store>(store->origin, store->buffer, simple(store->indices),
                                    visit(store->value))
                 : rebuild(s);
  }

private:
  Expr simple(Expr const& e) const { return arith::simplify(substitute(e, by_), ranges_); }
  std::vector<Expr> simple(std::vector<Expr> const& all) const {
    std::vector<Expr> made;
    for (Expr const& e : all) made.push_back(simple(e));
    return made;
  }

  Substitution const& by_;
  arith::Ranges const& ranges_;
};

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  BlockSite const& site = request.blocks[0];
  Block const& block = *site.block;
  std::vector<IterVar> iters;
  Substitution counted, values;  // loops as iterators; old iterators by new ones
  arith::Ranges ranges;
  for (For const* loop : site.loops) {
    if (is_idle(*loop, kinds_of(block, *loop))) {
      counted[loop->name()] = int_imm(0);
      continue;
    }
    IterVar const* old = only_iterator(block, *loop);
    iters.push_back(old ? *old : counter_of(*loop, block));
    counted[loop->name()] = iters.back().var;
    ranges.set(iters.back().name(), {0, as_int(iters.back().extent).value_or(1) - 1});
  }
  for (IterVar const& iter : block.iters)
    if (is_still(iter, site.loops)) {  // maybe all that is left of a sum's terms
      iters.push_back(iter);
      ranges.set(iter.name(), {0, as_int(iter.extent).value_or(1) - 1});
    } else {
      values[iter.name()] = arith::simplify(substitute(iter.binding, counted), ranges);
    }
  Renewed renewed(values, ranges);
  applied.program.body = replace_block(
      request.program.body, block.id,
      make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                       block.predicate, block.init ? renewed.visit(block.init) : Stmt(),
                       renewed.visit(block.body)));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "merge_iterators",
      .key = "Shift+M",
      .title = "Make loops the iterators of a block",
      .doc =
          "A block gets one iterator for each loop around it, in their order, in the place of "
          "those that it had: after fuse, one of all that was fused. Nothing that is computed "
          "changes. With reindex, a sum over several axes becomes a matrix product.",
      .rewrite =
          "for p in N*M: C(i = p // M, j = p % M)  -->  for p in N*M: C(vp = p), in which i is vp "
          "// M and j is vp % M",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"extent_unknown", "loops_are_no_iterators"},
  };
  return primitive;
}

}  // namespace tw::primitive_merge_iterators
