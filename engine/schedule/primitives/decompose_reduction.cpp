#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_decompose_reduction {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "decompose_reduction: exactly one block in the loop must be a reduction that starts there, and "
    "no other use its tensor; its reduction loops must be the loop itself or inside it";

/// The loop itself and those between it and the block, outermost first.
std::vector<For const*> inner_loops(StepRequest const& request, BlockSite const& block) {
  auto first = block.loops.begin() + int64_t(request.loops[0].around.size());
  return {first, block.loops.end()};
}

bool uses(Block const& block, std::string const& tensor) {
  bool found = false;
  auto look = [&](Touched const& at) { found = found || at.buffer->name == tensor; };
  walk_reads(block, look);
  walk_writes(block.body, look);
  return found;
}

/// The one block below the loop that starts a sum; others there only go on with it, as the second
/// part of a partitioned loop does, or have nothing to do with its tensor.
std::optional<BlockSite> starting_block(LoopSite const& loop) {
  std::optional<BlockSite> found;
  std::vector<BlockSite> blocks = working_blocks(loop);
  for (BlockSite const& site : blocks) {
    if (!site.block->init) continue;
    if (found) return std::nullopt;
    found = site;
  }
  for (BlockSite const& site : blocks) {
    if (!found || site.block->id == found->block->id) continue;
    if (!written_buffer(*found)) return std::nullopt;
    std::string const& tensor = written_buffer(*found)->name;
    bool goes_on =
        is_reduction(site) && written_buffer(site) && written_buffer(site)->name == tensor;
    if (!goes_on && uses(*site.block, tensor)) return std::nullopt;
  }
  return found;
}

/// The first iteration of the loops may be the first term: a part of a sum that was cut off begins
/// at a later one.
bool begins_here(StepRequest const& request, BlockSite const& block) {
  arith::Ranges ranges;
  Substitution zeros;
  for (For const* loop : inner_loops(request, block)) {
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
    if (!feeds(*block.block, *loop, false)) zeros[loop->name()] = int_imm(0);
  }
  return std::ranges::all_of(block.block->iters, [&](IterVar const& iter) {
    if (iter.kind != IterKind::kReduce) return true;
    auto first = arith::bounds(arith::simplify(substitute(iter.binding, zeros)), ranges);
    return !first || first->low <= 0;
  });
}

/// Below the loop elements are summed up more than once, each time from their start.
std::unexpected<Refusal> refuse_restart(StepRequest const& request, Block const& block,
                                        PairAnswer const& again) {
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  auto refusal = refuse(
      again.conflict ? "starts_again" : "undecided",
      again.conflict
          ? fmt::format(
                "{} computes elements of {} more than once inside {}, each time from the start",
                block.name, again.conflict->buffer, name)
          : fmt::format("it could not be proved that {} computes each element once inside {}: {}",
                        block.name, name, again.unknown),
      "decompose_reduction: each element must be reduced only once inside the loop",
      {request.loops[0]});
  refusal.error().conflict = again.conflict;
  refusal.error().undecided = !again.conflict;
  return refusal;
}

Applied apply(StepRequest const& request);

std::expected<Proof, Refusal> check(StepRequest const& request) {
  LoopSite const& site = request.loops[0];
  if (auto plain = plain_chain(request.program, {site}, "decompose_reduction"); !plain)
    return std::unexpected(plain.error());
  std::string name = reference_of(request.program, site.loop->id);
  std::vector<BlockSite> blocks = working_blocks(site);
  auto starts = starting_block(site);
  if (!starts)
    return refuse("not_one_reduction",
                  blocks.size() == 1
                      ? fmt::format("block {} does not start a reduction", blocks[0].block->name)
                      : fmt::format("{} blocks are inside {}", blocks.size(), name),
                  kCondition, {site});
  Block const& block = *starts->block;
  for (For const* outer : site.around)
    if (feeds(block, *outer, true))
      return refuse("reduced_outside",
                    fmt::format("{} is also a reduction loop and is outside {}",
                                reference_of(request.program, outer->id), name),
                    kCondition, {site_of(request.program, outer->id)});
  if (!begins_here(request, *starts))
    return refuse("begins_elsewhere",
                  fmt::format("the first term that {} adds inside {} is not the first of the sum",
                              block.name, name),
                  "decompose_reduction: the loop must hold the first term", {site});
  PairAnswer again = find_restarted(*starts, inner_loops(request, *starts), request.budget);
  if (!again.none()) return refuse_restart(request, block, again);
  if (request.budget == ProofBudget::kTrusted) return Proof();
  if (auto scoped = tensors_in_scope(apply(request).program, "decompose_reduction"); !scoped)
    return std::unexpected(scoped.error());
  return Proof{"every element is initialized before its first term is added"};
}

/// The block that only sets what the sum starts from.
Stmt start_block(Block const& block, Substitution const& zeros, Program& program) {
  std::vector<IterVar> iters;
  for (IterVar const& iter : block.iters) {
    if (iter.kind == IterKind::kReduce) continue;
    iters.push_back(iter);
    iters.back().binding = substitute(iter.binding, zeros);
  }
  Expr guard = block.predicate ? arith::simplify(substitute(block.predicate, zeros)) : nullptr;
  if (guard && is_int(guard, 1)) guard = nullptr;
  return make<Block>(program.fresh_block(), block.name + "_init", block.op, std::move(iters), guard,
                     Stmt(), block.init);
}

/// The same of a program whose calls are not written out: a call that goes on with the sum has no
/// store that shows it.
BlockSite checked_start(StepRequest const& request) {
  std::vector<BlockSite> blocks = working_blocks(request.loops[0]);
  auto starts =
      std::ranges::find_if(blocks, [](BlockSite const& site) { return bool(site.block->init); });
  return starts == blocks.end() ? blocks.at(0) : *starts;
}

Applied apply(StepRequest const& request) {
  BlockSite site = checked_start(request);
  Block const& block = *site.block;
  Applied applied{request.program, {}, {}};
  std::vector<For const*> inner = inner_loops(request, site);
  Substitution zeros;
  // A loop that counts a sum and a spatial axis runs whole: it sets elements more than once.
  for (For const* loop : inner)
    if (!feeds(block, *loop, false)) zeros[loop->name()] = int_imm(0);
  Stmt start = start_block(block, zeros, applied.program);
  for (size_t i = inner.size(); i-- > 0;)
    if (!zeros.contains(inner[i]->name()))
      start = make<For>(applied.program.fresh_loop(), inner[i]->var, inner[i]->extent,
                        inner[i]->loop_kind, start, inner[i]->bind);
  Stmt update = make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                                 block.predicate, Stmt(), block.body);
  For const& loop = *request.loops[0].loop;
  Stmt rest = replace_block(make_from<For>(loop.origin, loop.id, loop.var, loop.extent,
                                           loop.loop_kind, loop.body, loop.bind),
                            block.id, update);
  applied.program.body = replace_loop(request.program.body, loop.id, seq({start, rest}));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "decompose_reduction",
      .key = "D",
      .title = "Decompose a reduction",
      .doc =
          "Initializes a reduction in a separate block, before the loop. The loops of the sum can "
          "then be moved freely.",
      .rewrite =
          "for i: for k: if k == 0: T[i] = 0; T[i] += A[i, k]  -- at k -->  for i: T[i] = 0; for "
          "k: T[i] += A[i, k]",
      .refused = "cannot be decomposed",
      .check = check,
      .apply = apply,
      .refuses = {"begins_elsewhere", "extent_unknown", "input_out_of_scope", "not_one_reduction",
                  "not_only_blocks", "opaque_block", "reduced_outside", "starts_again",
                  "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_decompose_reduction
