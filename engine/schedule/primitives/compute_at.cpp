#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/recurrence.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/nests.h"
#include "engine/schedule/rewriting/tail_strategy.h"

namespace tw::primitive_compute_at {
namespace {

using namespace ir;

constexpr char kVerb[] = "compute_at";
constexpr char kCondition[] =
    "compute_at: everything that the block reads is computed before it runs, and its readers get "
    "all that they need";

std::vector<BlockSite> consumers_of(StepRequest const& request) {
  std::vector<BlockSite> readers =
      readers_of(request.program, written_buffer(request.blocks[0])->name);
  std::erase_if(readers,
                [&](BlockSite const& r) { return r.block->id == request.blocks[0].block->id; });
  return readers;
}

TailStrategy wished_tail(StepRequest const& request) {
  return request.has("tail") ? tail_strategy_of(request.word("tail")) : TailStrategy::kGuard;
}

/// What the consumers read in one iteration of the place, as values of the block's iterators; where
/// threads share the tensor, in that of all of them.
std::expected<Parts, Refusal> parts_of(StepRequest const& request, ProofBudget budget) {
  Block const& block = *request.blocks[0].block;
  Buffer buffer = written_buffer(request.blocks[0]);
  std::vector<For const*> still = place_loops(request.loops[0]);
  // Where a size is small, parts are as long as they are where it is large.
  Longer longer = request.program.sizes.empty() ? Longer::kCut : Longer::kKept;
  std::vector<Span> box = box_of(consumers_of(request), *buffer, still.size(), false,
                                 loops_sharing(request.target, still, *buffer), longer),
                    spans;
  auto const* store = block.body.as<Store>();
  arith::Ranges ranges = iterator_ranges(block);
  for (IterVar const& iter : block.iters) {
    if (!may_be_cut(block, iter)) continue;
    auto span = iterator_span(iter.name(), store->indices, box, ranges);
    spans.push_back(span ? *span : Span{int_imm(0), *as_int(iter.extent)});
  }
  return with_tail(wished_tail(request), request.program, request.blocks[0], spans, still, budget);
}

/// The producer's nest over them.
Stmt producer_nest(StepRequest const& request, Parts const& parts, Program& program) {
  std::vector<std::string> taken;
  for (LoopSite const& below : loops_of(request.loops[0].loop->body))
    taken.push_back(below.loop->name());
  return nest_of_parts(wished_tail(request), parts, place_loops(request.loops[0]), std::move(taken),
                       program);
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  LoopId place = request.loops[0].loop->id;
  Parts parts = parts_of(request, ProofBudget::kTrusted).value();  // proved when it was checked
  Stmt nest = producer_nest(request, parts, applied.program);
  Buffer buffer = parts.block.to<Block>().body.to<Store>().buffer;
  std::vector<BlockId> consumers;
  for (BlockSite const& site : consumers_of(request)) consumers.push_back(site.block->id);
  applied.program.body =
      replace_buffer(without_alloc(without_block(request.program.body, block.id), buffer->name),
                     buffer->name, buffer);
  Stmt body = site_of(applied.program, place).loop->body;
  set_loop_body(applied.program, place, make<Alloc>(buffer, insert_before(body, nest, consumers)));
  return applied;
}

/// What the shape of the program says against the move.
std::expected<void, Refusal> shape_refusal(StepRequest const& request, Program const& moved) {
  BlockSite const& block = request.blocks[0];
  std::vector<For const*> place = place_loops(request.loops[0]);
  if (auto ready = inputs_ready(request.program, block, place, {}, kVerb); !ready) return ready;
  if (auto steps = keeps_steps(request.program, block, place, kVerb); !steps) return steps;
  if (auto step = read_at_its_step(request.program, block, place, kVerb); !step) return step;
  return inputs_stay_before(request.program, moved, block, kVerb);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  LoopSite const& place = request.loops[0];
  std::string const& name = block.block->name;
  std::string at = reference_of(request.program, place.loop->id);
  if (auto fits = place_takes_nests(request.program, place, kVerb); !fits)
    return std::unexpected(fits.error());
  if (!may_run_again(block))
    return refuse_stage(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a whole sum or recurrence", name),
        "compute_at: running instances of the block again must give the same values");
  if (is_parameter(request.program, written_buffer(block)->name))
    return refuse_stage("writes_an_output",
                        fmt::format("block {} writes {}, an output of the kernel", name,
                                    written_buffer(block)->name),
                        "compute_at: the block's tensor must only be used inside the kernel");
  if (auto alone = only_writer(request.program, block, kVerb); !alone)
    return std::unexpected(alone.error());
  if (auto visible = inputs_in_scope(request.program, block, place_loops(place), kVerb); !visible)
    return std::unexpected(visible.error());
  std::vector<BlockSite> consumers = consumers_of(request);
  for (BlockSite const& consumer : consumers)
    if (!is_under(consumer, place.loop->id))
      return refuse_stage("consumer_outside",
                          fmt::format("{} also reads {} and is not inside {}", consumer.block->name,
                                      written_buffer(block)->name, at),
                          "compute_at: all readers of the block's tensor must be inside the loop");
  if (consumers.empty())
    return refuse_stage("no_consumer", fmt::format("nothing reads what {} computes", name),
                        "compute_at: all readers of the block's tensor must be inside the loop");
  // What lies beyond an axis is asked on trust, too: code would read past the end of a tensor.
  ProofBudget asked = request.budget == ProofBudget::kTrusted ? ProofBudget::kWork : request.budget;
  bool whole =
      request.budget == ProofBudget::kTrusted && wished_tail(request) == TailStrategy::kGuard;
  if (!whole)
    if (auto parts = parts_of(request, asked); !parts) return std::unexpected(parts.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  Program moved = apply(request).program;
  DataflowQuestion question{
      request.program, moved, {block.block->id}, {written_buffer(block)->name}, {}};
  if (DataflowAnswer flow = check_dataflow(question, request.budget); !flow.holds())
    return refuse_flow(flow, shape_refusal(request, moved), kCondition);
  if (auto holds = annotations_hold(moved, request.target, place.loop->id, kVerb, request.budget);
      !holds)
    return std::unexpected(holds.error());
  return Proof{"each iteration computes all that its readers need"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "compute_at",
      .key = "C",
      .title = "Compute a block at a consumer's loop",
      .doc =
          "Moves a block into a loop around its readers: every iteration computes the part that it "
          "needs, in its own tensor. Overlapping parts are computed again. Where the parts do not "
          "divide the axis, a guard skips out-of-range instances; with tail=round_up the last part "
          "is as long as the others, in a tensor with room for it, and with tail=shift_inwards it "
          "begins earlier: both are loops without guards.",
      .rewrite = "for y: P(y); for y: C(P, y)  -- at y -->  for y: P(part); C(part, y)",
      .refused = "cannot be computed there",
      .targets = 2,
      .parameters = {{.name = "tail",
                      .doc = "how the last part is computed, where it is shorter",
                      .low = 0,
                      .high = 0,
                      .optional = true,
                      .choices = tail_words()}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock, TargetKind::kLoop},
      .beside_calls = true,
      .refuses = {"between_steps",     "consumer_outside",    "dependence_carried",
                  "divides",           "extent_unknown",      "goes_on_from_itself",
                  "input_comes_later", "input_not_ready",     "input_out_of_scope",
                  "instances_added",   "instances_lost",      "no_consumer",
                  "no_remainder",      "not_a_simple_block",  "not_a_spatial_axis",
                  "not_finished",      "not_only_blocks",     "opaque_block",
                  "order_carried",     "part_begins_before",  "part_longer_than_axis",
                  "place_is_vector",   "read_at_other_steps", "reads_beyond",
                  "reads_itself",      "reduction_carried",   "several_tails",
                  "several_writers",   "terms_twice",         "undecided",
                  "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_compute_at
