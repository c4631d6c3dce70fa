#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/neutral.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kVerb[] = "rfactor";
constexpr char kCondition[] =
    "rfactor: the loop must be around one reduction block, alone in its nest, and belong to its "
    "reduction axes only";

/// No condition speaks of reduction loops and of spatial ones.
bool guards_keep_apart(BlockSite const& site) {
  for (Expr const& part : conjuncts(site.block->predicate)) {
    bool reduce = false, spatial = false;
    for (For const* loop : site.loops)
      if (uses_variable(part, loop->name()))
        (feeds(*site.block, *loop, true) ? reduce : spatial) = true;
    if (reduce && spatial) return false;
  }
  return true;
}

/// What a sum, product, maximum or minimum starts from without changing it.
bool starts_from_nothing(Block const& block) {
  Expr start = block.init.to<Store>().value;
  return equal(start, neutral(reduction_of(block)->op, start.type()));
}

/// A nest that computes its sums again would add each of them several times to the whole.
std::expected<void, Refusal> sums_once(Move const& move, BlockSite const& site) {
  PairAnswer again = find_restarted(site, site.loops, move.effort);
  if (again.none()) return {};
  std::string const& name = site.block->name;
  auto refusal = refuse(
      again.conflict ? "starts_again" : "undecided",
      again.conflict
          ? fmt::format("{} computes elements of {} more than once, each time from the start", name,
                        again.conflict->buffer)
          : fmt::format("it could not be proved that {} computes each element once: {}", name,
                        again.unknown),
      "rfactor: each element must be reduced only once", move.loops);
  refusal.error().conflict = again.conflict;
  refusal.error().undecided = !again.conflict;
  return refusal;
}

Applied apply(Move const& move);

std::expected<Proof, Refusal> check(Move const& move) {
  LoopSite const& site = move.loops[0];
  std::string name = reference_of(move.program, site.loop->id);
  std::vector<LoopSite> chain{site};
  for (For const* loop : site.around) chain.push_back(site_of(move.program, loop->id));
  for (LoopSite const& loop : chain)
    if (loop.loop->loop_kind != LoopKind::kSerial && loop.loop->id == site.loop->id)
      return refuse("loop_annotated", fmt::format("{} is already annotated", name), kCondition,
                    {site});
  if (auto plain = plain_chain(move.program, {chain.back()}, kVerb); !plain)
    return std::unexpected(plain.error());
  LoopSite root = chain.size() > 1 ? site_of(move.program, site.around.front()->id) : site;
  std::vector<BlockSite> blocks = working_blocks(root);
  if (blocks.size() != 1 || !blocks[0].block->init || !is_reduction(blocks[0]))
    return refuse(
        "not_one_reduction",
        fmt::format("the loop nest of {} does not belong to a single reduction block", name),
        kCondition, {site});
  for (IterVar const& iter : blocks[0].block->iters)
    if (iter.kind == IterKind::kOrdered)
      return refuse("ordered_block",
                    fmt::format("{} is computed step by step", blocks[0].block->name), kCondition,
                    {site});
  if (auto alone = only_writer(move.program, blocks[0], kVerb); !alone)
    return std::unexpected(alone.error());
  if (!starts_from_nothing(*blocks[0].block))
    return refuse("starts_from_a_value",
                  fmt::format("{} starts from a value that each partial result would add again",
                              blocks[0].block->name),
                  "rfactor: the reduction must start from its neutral element", {site});
  if (!feeds(*blocks[0].block, *site.loop, true))
    return refuse("not_a_reduction_loop", fmt::format("{} is not a reduction loop", name),
                  kCondition, {site});
  for (For const* loop : blocks[0].loops) {
    bool sums = feeds(*blocks[0].block, *loop, true);
    if (sums && feeds(*blocks[0].block, *loop, false))
      return refuse("mixed_loop",
                    fmt::format("{} belongs to both a reduction axis and a spatial axis",
                                reference_of(move.program, loop->id)),
                    kCondition, {site_of(move.program, loop->id)});
  }
  if (!guards_keep_apart(blocks[0]))
    return refuse("mixed_guard",
                  fmt::format("a guard of {} depends on both reduction loops and spatial loops",
                              blocks[0].block->name),
                  "rfactor: a guard of a term must depend on its reduction loops only", {site});
  if (auto once = sums_once(move, blocks[0]); !once) return std::unexpected(once.error());
  if (auto scoped = tensors_in_scope(apply(move).program, "rfactor"); !scoped)
    return std::unexpected(scoped.error());
  return Proof{"only the order of a sum changes"};
}

/// Reduce iterators with their loops, rewritten so that the factored loop is one of them: the
/// partial block iterates over every loop of the nest that feeds a reduce iterator.
struct Parts {
  BlockSite site;
  std::vector<For const*> reduce_loops;  // without the factored one
};

Parts parts_of(Move const& move) {
  LoopSite const& at = move.loops[0];
  LoopSite root = at.around.empty() ? at : site_of(move.program, at.around.front()->id);
  Parts parts{working_blocks(root).front(), {}};
  for (For const* loop : parts.site.loops) {
    bool reduces = std::ranges::any_of(parts.site.block->iters, [&](IterVar const& iter) {
      return iter.kind == IterKind::kReduce && uses_variable(iter.binding, loop->name());
    });
    if (reduces && loop->id != at.loop->id) parts.reduce_loops.push_back(loop);
  }
  return parts;
}

/// The conditions on reduction loops: terms that do not exist. Each partial sum must still be set,
/// so they choose the term instead of skipping the block.
std::pair<Expr, Expr> split_guard(Expr const& guard, std::vector<std::string> const& reduce) {
  Expr kept, chosen;
  for (Expr const& part : conjuncts(guard)) {
    bool term = std::ranges::any_of(reduce, [&](auto& name) { return uses_variable(part, name); });
    Expr& into = term ? chosen : kept;
    into = into ? into && part : part;
  }
  return {kept, chosen};
}

/// The partial sums: the old nest, whose block has the factored loop as a spatial iterator and one
/// reduce iterator per remaining reduction loop.
Stmt partial_block(Move const& move, Parts const& parts, Buffer const& partial) {
  Block const& block = *parts.site.block;
  Expr factored = var("v" + move.loops[0].loop->name());
  Substitution values;
  std::vector<IterVar> iters{
      {factored, move.loops[0].loop->extent, IterKind::kSpatial, move.loops[0].loop->var, ""}};
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kSpatial) iters.push_back(iter);
  Substitution loops_to_iters{{move.loops[0].loop->name(), factored}};
  for (For const* loop : parts.reduce_loops) {
    Expr iter = var("v" + loop->name());
    iters.push_back({iter, loop->extent, IterKind::kReduce, loop->var, ""});
    loops_to_iters[loop->name()] = iter;
  }
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kReduce)
      values[iter.name()] = substitute(iter.binding, loops_to_iters);
  ReductionInfo info = *reduction_of(block);
  std::vector<Expr> indices{factored};
  indices.insert(indices.end(), info.store->indices.begin(), info.store->indices.end());
  Expr start = block.init.to<Store>().value;
  std::vector<std::string> reduce{move.loops[0].loop->name()};
  for (For const* loop : parts.reduce_loops) reduce.push_back(loop->name());
  auto [guard, chosen] = split_guard(block.predicate, reduce);
  Expr term = substitute(info.value, values);
  if (chosen) term = select(substitute(chosen, loops_to_iters), term, start);
  // With no other loop to add over, each partial result is one term.
  bool adds = !parts.reduce_loops.empty();
  Expr value = adds ? binary(info.op, load(partial, indices), term) : term;
  Stmt init = adds ? make<Store>(partial, indices, start) : Stmt();
  return make_from<Block>(block.origin, block.id, partial->name, block.op, std::move(iters), guard,
                          init, make<Store>(partial, indices, value));
}

/// The sum over the factored axis, a nest of its own.
Stmt final_nest(Move const& move, Parts const& parts, Buffer const& partial, Program& program) {
  Block const& block = *parts.site.block;
  std::vector<IterVar> iters;
  std::vector<std::pair<Expr, Expr>> loops;
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kSpatial) {
      loops.push_back({var(iter.name().substr(iter.name()[0] == 'v')), iter.extent});
      iters.push_back(iter);
      iters.back().binding = loops.back().first;
    }
  Expr factored = var("v" + move.loops[0].loop->name());
  loops.push_back({var(move.loops[0].loop->name()), move.loops[0].loop->extent});
  iters.push_back({factored, loops.back().second, IterKind::kReduce, loops.back().first, ""});
  ReductionInfo info = *reduction_of(block);
  std::vector<Expr> indices{factored};
  indices.insert(indices.end(), info.store->indices.begin(), info.store->indices.end());
  Expr sum = binary(info.op, load(info.store->buffer, info.store->indices), load(partial, indices));
  Stmt body = make_from<Block>(block.origin, program.fresh_block(), block.name, block.op,
                               std::move(iters), Expr(), block.init,
                               make<Store>(info.store->buffer, info.store->indices, sum));
  for (size_t i = loops.size(); i-- > 0;)
    body =
        make<For>(program.fresh_loop(), loops[i].first, loops[i].second, LoopKind::kSerial, body);
  return body;
}

Applied apply(Move const& move) {
  Applied applied{move.program, {}, {}};
  Parts parts = parts_of(move);
  Block const& block = *parts.site.block;
  Buffer target = written_buffer(parts.site);
  std::vector<int64_t> shape{*as_int(move.loops[0].loop->extent)};
  auto whole = *constant_shape(*target);
  shape.insert(shape.end(), whole.begin(), whole.end());
  Buffer partial =
      make_buffer(free_tensor_name(move.program, target->name + "_rf"), target->type, shape);
  Stmt last = final_nest(move, parts, partial, applied.program);
  Stmt body = insert_after(move.program.body, last, {block.id});
  body = replace_block(body, block.id, partial_block(move, parts, partial));
  applied.program.body = make<Alloc>(partial, body);
  return applied;
}

}  // namespace

Primitive const& primitive_rfactor() {
  static Primitive const primitive{
      .name = "rfactor",
      .key = "X",
      .title = "Factor a reduction",
      .doc =
          "Makes a reduction loop spatial: each of its iterations gives a partial result, and "
          "another block adds these up. The loop can then be vectorized or run in parallel.",
      .rewrite =
          "for i: for k: T[i] += A[i, k]  -- at k -->  for k: for i: T_rf[k, i] += A[i, k]; for i: "
          "for k: T[i] += T_rf[k, i]",
      .refused = "cannot be factored",
      .at_hand = true,
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
  };
  return primitive;
}

}  // namespace tw
