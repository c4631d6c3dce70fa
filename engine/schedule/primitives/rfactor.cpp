#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_rfactor {
namespace {

using namespace ir;

constexpr char kVerb[] = "rfactor";
constexpr char kCondition[] =
    "rfactor: the loop must be around one reduction block, whose sums no other block uses before "
    "they are whole, and belong to its reduction axes only";

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

/// The reduction that a loop belongs to, and where its last sum goes.
struct Nest {
  BlockSite site;
  bool alone = true;   ///< nothing else stands in the nest: the last sum becomes a nest of its own
  size_t outside = 0;  ///< else it stands in this many loops, those around all reduction loops

  For const& first() const { return *site.loops[outside]; }
};

LoopSite root_of(StepRequest const& request) {
  LoopSite const& at = request.loops[0];
  return at.around.empty() ? at : site_of(request.program, at.around.front()->id);
}

/// None: the loop is around no reduction, or around several.
std::optional<Nest> nest_of(StepRequest const& request) {
  std::vector<BlockSite> all = working_blocks(root_of(request)), sums;
  bool alone = all.size() == 1;
  for (BlockSite const& site : all) {
    auto around = [&](For const* loop) { return loop->id == request.loops[0].loop->id; };
    bool below = std::ranges::any_of(site.loops, around);
    bool sum = site.block->init && is_reduction(site);
    if (sum && (alone || (below && feeds(*site.block, *request.loops[0].loop, true))))
      sums.push_back(site);
  }
  if (sums.size() != 1) return std::nullopt;
  Nest nest{sums[0], alone, 0};
  while (nest.outside < nest.site.loops.size() &&
         !feeds(*nest.site.block, *nest.site.loops[nest.outside], true))
    ++nest.outside;
  return nest;
}

/// Beside other blocks the last sum stands right behind the outermost reduction loop: nothing
/// inside of that may use the sums, and the loops around take nests.
std::expected<void, Refusal> others_come_later(StepRequest const& request, Nest const& nest) {
  std::string const& tensor = written_buffer(nest.site)->name;
  for (BlockSite const& other : blocks_of(nest.first().body)) {
    if (other.block->id == nest.site.block->id) continue;
    bool uses = false;
    auto look = [&](Touched const& at) { uses = uses || at.buffer->name == tensor; };
    walk_reads(*other.block, look);
    walk_writes(other.block->body, look);
    if (uses)
      return refuse("used_in_the_sum",
                    fmt::format("{} uses {} inside of the reduction loops of {}", other.block->name,
                                tensor, nest.site.block->name),
                    kCondition, request.loops);
  }
  for (For const* loop : nest.site.loops)
    if (loop->loop_kind == LoopKind::kVector || loop->loop_kind == LoopKind::kBind)
      return refuse("kinds_do_not_nest",
                    fmt::format("{} runs its iterations concurrently: it cannot hold another nest",
                                reference_of(request.program, loop->id)),
                    kCondition, {site_of(request.program, loop->id)});
  return {};
}

/// A nest that computes its sums again would add each of them several times to the whole.
std::expected<void, Refusal> sums_once(StepRequest const& request, Nest const& nest) {
  BlockSite const& site = nest.site;
  std::vector<For const*> loops(site.loops.begin() + (nest.alone ? 0 : int64_t(nest.outside)),
                                site.loops.end());
  PairAnswer again = find_restarted(site, loops, request.budget);
  if (again.none()) return {};
  std::string const& name = site.block->name;
  auto refusal = refuse(
      again.conflict ? "starts_again" : "undecided",
      again.conflict
          ? fmt::format("{} computes elements of {} more than once, each time from the start", name,
                        again.conflict->buffer)
          : fmt::format("it could not be proved that {} computes each element once: {}", name,
                        again.unknown),
      "rfactor: each element must be reduced only once", request.loops);
  refusal.error().conflict = again.conflict;
  refusal.error().undecided = !again.conflict;
  return refusal;
}

Applied apply(StepRequest const& request);

/// What the block itself says against it.
std::expected<void, Refusal> block_fits(StepRequest const& request, BlockSite const& site) {
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  for (IterVar const& iter : site.block->iters)
    if (iter.kind == IterKind::kOrdered)
      return refuse("ordered_block", fmt::format("{} is computed step by step", site.block->name),
                    kCondition, request.loops);
  if (auto alone = only_writer(request.program, site, kVerb);
      !alone && !writes_apart(request.program, site, request.budget))
    return alone;
  if (!starts_from_nothing(*site.block))
    return refuse("starts_from_a_value",
                  fmt::format("{} starts from a value that each partial result would add again",
                              site.block->name),
                  "rfactor: the reduction must start from its identity element", request.loops);
  if (!feeds(*site.block, *request.loops[0].loop, true))
    return refuse("not_a_reduction_loop", fmt::format("{} is not a reduction loop", name),
                  kCondition, request.loops);
  for (For const* loop : site.loops)
    if (feeds(*site.block, *loop, true) && feeds(*site.block, *loop, false))
      return refuse("mixed_loop",
                    fmt::format("{} belongs to both a reduction axis and a spatial axis",
                                reference_of(request.program, loop->id)),
                    kCondition, {site_of(request.program, loop->id)});
  if (!guards_keep_apart(site))
    return refuse("mixed_guard",
                  fmt::format("a guard of {} depends on both reduction loops and spatial loops",
                              site.block->name),
                  "rfactor: a guard of a term must depend on its reduction loops only",
                  request.loops);
  return {};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  LoopSite const& site = request.loops[0];
  std::string name = reference_of(request.program, site.loop->id);
  if (site.loop->loop_kind != LoopKind::kSerial)
    return refuse("loop_annotated", fmt::format("{} is already annotated", name), kCondition,
                  {site});
  LoopSite around = site.around.empty() ? site : site_of(request.program, site.around.back()->id);
  if (auto plain = plain_chain(request.program, {around}, kVerb); !plain)
    return std::unexpected(plain.error());
  auto nest = nest_of(request);
  if (!nest) {
    auto blocks = working_blocks(site);
    bool other = blocks.size() == 1 && blocks[0].block->init && is_reduction(blocks[0]);
    if (other)
      return refuse("not_a_reduction_loop", fmt::format("{} is not a reduction loop", name),
                    kCondition, {site});
    return refuse(
        "not_one_reduction",
        fmt::format("the loop nest of {} does not belong to a single reduction block", name),
        kCondition, {site});
  }
  if (auto fits = block_fits(request, nest->site); !fits) return std::unexpected(fits.error());
  if (!nest->alone)
    if (auto later = others_come_later(request, *nest); !later)
      return std::unexpected(later.error());
  if (auto once = sums_once(request, *nest); !once) return std::unexpected(once.error());
  if (auto scoped = tensors_in_scope(apply(request).program, "rfactor"); !scoped)
    return std::unexpected(scoped.error());
  return Proof{"only the order of a sum changes"};
}

/// The reduction with its reduction loops: the partial block iterates over every one of them.
struct Parts {
  Nest nest;
  std::vector<For const*> reduce_loops;  // without the factored one
  Expr guard, chosen;                    ///< of the block: on the other loops, and on these

  BlockSite const& site() const { return nest.site; }
};

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

Parts parts_of(StepRequest const& request) {
  Parts parts{*nest_of(request), {}, {}, {}};
  std::vector<std::string> reduce{request.loops[0].loop->name()};
  for (For const* loop : parts.site().loops)
    if (feeds(*parts.site().block, *loop, true) && loop->id != request.loops[0].loop->id) {
      parts.reduce_loops.push_back(loop);
      reduce.push_back(loop->name());
    }
  std::tie(parts.guard, parts.chosen) = split_guard(parts.site().block->predicate, reduce);
  return parts;
}

/// The partial sums: the old nest, whose block has the factored loop as a spatial iterator and one
/// reduce iterator per remaining reduction loop.
Stmt partial_block(StepRequest const& request, Parts const& parts, Buffer const& partial) {
  Block const& block = *parts.site().block;
  Expr factored = var("v" + request.loops[0].loop->name());
  Substitution values;
  std::vector<IterVar> iters{{factored, request.loops[0].loop->extent, IterKind::kSpatial,
                              request.loops[0].loop->var, ""}};
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kSpatial) iters.push_back(iter);
  Substitution loops_to_iters{{request.loops[0].loop->name(), factored}};
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
  Expr term = substitute(info.value, values);
  if (parts.chosen) term = select(substitute(parts.chosen, loops_to_iters), term, start);
  // With no other loop to add over, each partial result is one term.
  bool adds = !parts.reduce_loops.empty();
  Expr value = adds ? binary(info.op, load(partial, indices), term) : term;
  Stmt init = adds ? make<Store>(partial, indices, start) : Stmt();
  return make_from<Block>(block.origin, block.id, partial->name, block.op, std::move(iters),
                          parts.guard, init, make<Store>(partial, indices, value));
}

/// The loops of the last sum but for the factored one, and what its spatial iterators are in them.
struct LastLoops {
  std::vector<std::pair<Expr, Expr>> loops = {};  // variable, extent
  std::vector<IterVar> iters = {};                // the spatial ones
  Expr guard = {};
};

/// One loop for each iterator, over the values that the partial sums were made for. None where
/// these are no box.
std::optional<LastLoops> loops_over_axes(BlockSite const& partial) {
  std::vector<arith::Interval> domains = domains_of(partial);
  if (!runs_all_of(partial, domains, ProofBudget::kWork)) return std::nullopt;
  LastLoops last;
  for (size_t i = 1; i < partial.block->iters.size(); ++i) {
    IterVar iter = partial.block->iters[i];
    if (iter.kind != IterKind::kSpatial) continue;
    Expr loop = var(iter.name().substr(iter.name()[0] == 'v'));
    last.loops.push_back({loop, int_imm(domains[i].high - domains[i].low + 1)});
    iter.binding = domains[i].low == 0 ? loop : loop + domains[i].low;
    last.iters.push_back(std::move(iter));
  }
  return last;
}

/// The very loops of the partial sums, from `outside` on.
LastLoops same_loops(Parts const& parts, size_t outside) {
  LastLoops last{{}, {}, parts.guard};
  Block const& block = *parts.site().block;
  for (size_t i = outside; i < parts.site().loops.size(); ++i)
    if (For const& loop = *parts.site().loops[i]; !feeds(block, loop, true))
      last.loops.push_back({loop.var, loop.extent});
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kSpatial) last.iters.push_back(iter);
  return last;
}

/// The sum over the factored axis.
Stmt final_nest(StepRequest const& request, Parts const& parts, LastLoops last,
                Buffer const& partial, Program& program) {
  Block const& block = *parts.site().block;
  Expr factored = var("v" + request.loops[0].loop->name());
  last.loops.push_back({var(request.loops[0].loop->name()), request.loops[0].loop->extent});
  last.iters.push_back(
      {factored, last.loops.back().second, IterKind::kReduce, last.loops.back().first, ""});
  ReductionInfo info = *reduction_of(block);
  std::vector<Expr> indices{factored};
  indices.insert(indices.end(), info.store->indices.begin(), info.store->indices.end());
  Expr sum = binary(info.op, load(info.store->buffer, info.store->indices), load(partial, indices));
  Stmt body = make_from<Block>(block.origin, program.fresh_block(), block.name, block.op,
                               std::move(last.iters), last.guard, block.init,
                               make<Store>(info.store->buffer, info.store->indices, sum));
  for (size_t i = last.loops.size(); i-- > 0;)
    body = make<For>(program.fresh_loop(), last.loops[i].first, last.loops[i].second,
                     LoopKind::kSerial, body);
  return body;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Parts parts = parts_of(request);
  Block const& block = *parts.site().block;
  Buffer target = written_buffer(parts.site());
  std::vector<int64_t> shape{*as_int(request.loops[0].loop->extent)};
  auto whole = *constant_shape(*target);
  shape.insert(shape.end(), whole.begin(), whole.end());
  Buffer partial =
      make_buffer(free_tensor_name(request.program, target->name + "_rf"), target->type, shape);
  Stmt sums = partial_block(request, parts, partial);
  auto nest = [&](LastLoops last) {
    return final_nest(request, parts, std::move(last), partial, applied.program);
  };
  if (parts.nest.alone) {
    auto axes = loops_over_axes({&sums.to<Block>(), parts.site().loops});
    Stmt last = nest(axes ? *axes : same_loops(parts, 0));
    Stmt body = replace_block(insert_after(request.program.body, last, {block.id}), block.id, sums);
    applied.program.body = make<Alloc>(partial, body);
    return applied;
  }
  For const& first = parts.nest.first();
  Stmt loop = make_from<For>(first.origin, first.id, first.var, first.extent, first.loop_kind,
                             replace_block(first.body, block.id, sums), first.bind);
  Stmt last = nest(same_loops(parts, parts.nest.outside));
  applied.program.body = with_alloc_beside(
      replace_loop(request.program.body, first.id, seq({loop, last})), target->name, partial);
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "rfactor",
      .key = "X",
      .title = "Factor a reduction",
      .doc =
          "Makes a reduction loop spatial: each of its iterations gives a partial result, and "
          "another block adds these up, in a nest of its own or, where other blocks are in the "
          "nest, after the loops of the sum. The loop can then be vectorized or run in parallel.",
      .rewrite =
          "for i: for k: T[i] += A[i, k]  -- at k -->  for k: for i: T_rf[k, i] += A[i, k]; for i: "
          "for k: T[i] += T_rf[k, i]",
      .refused = "cannot be factored",
      .at_hand = true,
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .refuses = {"extent_unknown", "input_out_of_scope", "kinds_do_not_nest", "loop_annotated",
                  "mixed_guard", "mixed_loop", "not_a_reduction_loop", "not_one_reduction",
                  "not_only_blocks", "opaque_block", "ordered_block", "several_writers",
                  "starts_again", "starts_from_a_value", "undecided", "used_in_the_sum"},
  };
  return primitive;
}

}  // namespace tw::primitive_rfactor
