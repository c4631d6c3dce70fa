#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_decompose_padding {
namespace {

using namespace ir;

/// The choice between a value and padding that the block stores; null: it is none.
Select const* choice_of(Block const& block) {
  auto const* store = block.body.as<Store>();
  auto const* choice = store ? store->value.as<Select>() : nullptr;
  bool pads = choice && !reads_tensor(choice->b) && !reads_tensor(choice->condition);
  return pads ? choice : nullptr;
}

/// The statement to replace: the outermost loop that holds only this block, or the block.
Stmt nest_of(BlockSite const& site) {
  for (For const* loop : site.loops)
    if (blocks_of(loop->body).size() == 1) return Stmt(Ref<StmtNode>(loop));
  return Stmt(Ref<StmtNode>(site.block));
}

/// The values that a loop runs through where conditions hold on its axis.
struct Part {
  int64_t low = 0, end = 0;
};

/// Narrows the part to where `condition` holds; false: it does not speak of the iterator alone, or
/// is no bound of it.
bool narrows(Expr const& condition, std::string const& iter, Part& part) {
  auto const* test = condition.as<Binary>();
  if (!test || (test->op != BinaryOp::kLt && test->op != BinaryOp::kLe)) return false;
  arith::Linear difference = arith::add(arith::to_linear(test->a), arith::to_linear(test->b), -1);
  int64_t factor = difference.factor_of(iter);
  bool alone = difference.terms.size() == 1 && (factor == 1 || factor == -1);
  if (!alone) return false;
  // factor * iter < most
  int64_t most = -difference.constant + (test->op == BinaryOp::kLe ? 1 : 0);
  Part next = part;
  if (factor == 1)
    next.end = std::min(part.end, most);
  else
    next.low = std::max(part.low, 1 - most);
  if (next.low >= next.end) return false;
  part = next;
  return true;
}

/// The values of an iterator for which the conditions hold that bound it alone; these are taken out
/// of the list.
Part part_of(IterVar const& iter, std::vector<Expr>& conditions) {
  Part part{0, *as_int(iter.extent)};
  std::erase_if(conditions,
                [&](Expr const& condition) { return narrows(condition, iter.name(), part); });
  return part;
}

/// The loop that is an iterator, all of it; null: none is.
For const* loop_of(IterVar const& iter, BlockSite const& site) {
  auto const* v = iter.binding.as<Variable>();
  if (!v) return nullptr;
  for (For const* loop : site.loops)
    if (loop->name() == v->name && equal(loop->extent, iter.extent)) return loop;
  return nullptr;
}

/// The block without its choice: loops run where it takes the value, and what does not become
/// bounds of loops is a guard.
Stmt inside_nest(BlockSite const& site, Stmt const& nest) {
  Block const& block = *site.block;
  Select const& choice = *choice_of(block);
  std::vector<Expr> conditions = conjuncts(choice.condition);
  std::vector<IterVar> iters = block.iters;
  Stmt result = nest;
  Substitution bindings;
  std::vector<std::pair<LoopId, int64_t>> counts;
  for (IterVar& iter : iters) {
    For const* loop = loop_of(iter, site);
    bool inside = false;
    for (LoopSite const& own : loops_of(nest)) inside = inside || own.loop == loop;
    bool shared = std::ranges::count_if(block.iters,
                                        [&](IterVar const& other) {
                                          return loop && uses_variable(other.binding, loop->name());
                                        }) != 1 ||
                  (block.predicate && loop && uses_variable(block.predicate, loop->name()));
    if (!inside || shared) continue;
    Part part = part_of(iter, conditions);
    iter.binding = part.low == 0 ? loop->var : loop->var + int_imm(part.low);
    counts.push_back({loop->id, part.end - part.low});
  }
  for (IterVar const& iter : iters) bindings[iter.name()] = iter.binding;
  Expr guard = block.predicate;
  for (Expr const& condition : conditions) {
    Expr here = arith::simplify(substitute(condition, bindings));
    guard = guard ? guard && here : here;
  }
  auto const& store = block.body.to<Store>();
  result = replace_block(
      result, block.id,
      make_from<Block>(block.origin, block.id, block.name, block.op, iters, guard, Stmt(),
                       make_from<Store>(store.origin, store.buffer, store.indices, choice.a)));
  for (auto const& [id, count] : counts)
    for (LoopSite const& own : loops_of(result))
      if (own.loop->id == id) {
        For const& loop = *own.loop;
        result = replace_loop(result, id,
                              make_from<For>(loop.origin, loop.id, loop.var, int_imm(count),
                                             loop.loop_kind, loop.body, loop.bind));
        break;
      }
  return result;
}

/// The same nest, which stores the padding everywhere.
Stmt fill_nest(BlockSite const& site, Stmt const& nest, Program& program) {
  Block const& block = *site.block;
  auto const& store = block.body.to<Store>();
  return rewrite_stmts(nest, [&](Stmt const& s) -> Stmt {
    if (auto const* loop = s.as<For>())
      return make<For>(program.fresh_loop(), loop->var, loop->extent, loop->loop_kind, loop->body,
                       loop->bind);
    if (!s.as<Block>()) return nullptr;
    return make<Block>(program.fresh_block(), free_tensor_name(program, block.name + "_fill"),
                       "pad", block.iters, block.predicate, Stmt(),
                       make<Store>(store.buffer, store.indices, store.value.to<Select>().b));
  });
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  BlockSite const& site = request.blocks[0];
  Stmt nest = nest_of(site);
  Stmt both = seq({fill_nest(site, nest, applied.program), inside_nest(site, nest)});
  auto const* loop = nest.as<For>();
  applied.program.body = loop ? replace_loop(request.program.body, loop->id, both)
                              : replace_block(request.program.body, site.block->id, both);
  return applied;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& site = request.blocks[0];
  std::string const& name = site.block->name;
  if (!choice_of(*site.block))
    return refuse_stage(
        "no_padding",
        fmt::format("{} does not select between a value and padding by a condition on its axes",
                    name),
        "decompose_padding: the block must store select(condition, value, padding)");
  if (!divides_safely(choice_of(*site.block)->b))
    return refuse_stage(
        "padding_divides",
        fmt::format("the padding of {} divides by what may be zero where it is not chosen", name),
        "decompose_padding: the padding is stored everywhere, so it must have a value everywhere");
  bool sums = std::ranges::any_of(
      site.block->iters, [](IterVar const& iter) { return iter.kind == IterKind::kReduce; });
  if (sums || (!is_complete(site) && !is_recurrence(site)))
    return refuse_stage(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a recurrence without a sum", name),
        "decompose_padding: each instance of the block must write an element of its own");
  for (For const* loop : site.loops)
    if (!as_int(loop->extent))
      return refuse("extent_unknown",
                    fmt::format("the extent of {} is not known before the kernel runs",
                                reference_of(request.program, loop->id)),
                    "decompose_padding: the extents must be constants",
                    {site_of(request.program, loop->id)});
  For const* around = nullptr;
  for (For const* loop : site.loops)
    if (blocks_of(loop->body).size() == 1) {
      around = loop;
      break;
    }
  bool in_vector = std::ranges::any_of(
      site.loops, [&](For const* loop) { return loop->loop_kind == LoopKind::kVector; });
  if (in_vector && !around)
    return refuse_stage("place_is_vector", fmt::format("{} shares a vector loop", name),
                        "decompose_padding: the loops that it shares must not be vectorized");
  return Proof{"each element is filled before it is written"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "decompose_padding",
      .key = "Shift+D",
      .title = "Decompose a padding",
      .doc =
          "Splits a block that selects between a value and padding into two nests: the first one "
          "fills everything with the padding, the second one writes the values inside, without a "
          "select.",
      .rewrite =
          "for i in 8: P[i] = select(1 <= i && i < 7, X[i-1], 0)  -->  for i in 8: P[i] = 0; for i "
          "in 6: P[i+1] = X[i]",
      .refused = "cannot be decomposed",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"extent_unknown", "no_padding", "not_a_simple_block", "padding_divides",
                  "place_is_vector"},
  };
  return primitive;
}

}  // namespace tw::primitive_decompose_padding
