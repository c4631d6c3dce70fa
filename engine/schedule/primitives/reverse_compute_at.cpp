#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/recurrence.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_reverse_compute_at {
namespace {

using namespace ir;

constexpr char kVerb[] = "reverse_compute_at";
constexpr char kCondition[] =
    "reverse_compute_at: each iteration of the loop must complete a box of what the block reads, "
    "and the block must not need anything else of it";

/// The tensors that the block reads and that something below the place writes.
std::vector<std::string> produced_below(StepRequest const& request) {
  std::vector<std::string> tensors;
  for (std::string const& buffer : read_buffers(*request.blocks[0].block))
    for (BlockSite const& writer : writers_of(request.program, buffer))
      if (is_under(writer, request.loops[0].loop->id)) {
        tensors.push_back(buffer);
        break;
      }
  return tensors;
}

/// The conjuncts of a predicate are the upper bounds of iterators, nothing else is skipped.
bool guards_the_domain_only(BlockSite const& site) {
  arith::Ranges ranges = ranges_of(site.loops);
  for (Expr const& part : conjuncts(site.block->predicate)) {
    bool known = std::any_of(site.block->iters.begin(), site.block->iters.end(), [&](auto& iter) {
      return equal(arith::simplify(iter.binding < iter.extent, ranges), part) ||
             equal(arith::simplify(int_imm(0) <= iter.binding, ranges), part);
    });
    if (!known) return false;
  }
  return true;
}

/// The block is a recurrence of which each iteration of the place computes one step.
bool makes_one_step(BlockSite const& writer, std::vector<For const*> const& still) {
  return is_recurrence(writer) && std::ranges::all_of(step_loops(writer), [&](For const* step) {
           return std::ranges::any_of(still, [&](For const* loop) { return loop->id == step->id; });
         });
}

/// Why one iteration of the place does not finish a box of a tensor, as far as shapes tell.
std::expected<void, Refusal> finishes_box(StepRequest const& request, std::string const& tensor) {
  std::vector<For const*> still = place_loops(request.loops[0]);
  auto no = [&](std::string message) {
    return refuse_stage("not_finished_there", std::move(message), kCondition);
  };
  for (BlockSite const& writer : writers_of(request.program, tensor)) {
    std::string const& name = writer.block->name;
    if (!is_under(writer, request.loops[0].loop->id))
      return no(fmt::format("{} also writes {}, outside the loop", name, tensor));
    if (!is_complete(writer) && !is_reduction(writer) && !makes_one_step(writer, still))
      return no(fmt::format("block {} is neither complete nor a reduction", name));
    for (For const* loop : still)
      for (IterVar const& iter : writer.block->iters)
        if (iter.kind == IterKind::kReduce && uses_variable(iter.binding, loop->name()))
          return no(fmt::format(
              "the sum of {} is not complete there: the reduction loop {} is around that place",
              name, reference_of(request.program, loop->id)));
    if (!guards_the_domain_only(writer))
      return no(
          fmt::format("{} skips iterations with a guard that is not the end of an axis", name));
  }
  return {};
}

Longer longer_in(StepRequest const& request) {
  return request.program.sizes.empty() ? Longer::kCut : Longer::kKept;
}

/// What one iteration of the place makes of a tensor.
std::vector<Span> made_box(StepRequest const& request, std::string const& tensor) {
  std::vector<BlockSite> writers = writers_of(request.program, tensor);
  std::erase_if(writers, [&](BlockSite const& writer) {
    return !is_under(writer, request.loops[0].loop->id);
  });
  return box_of(writers, *find_buffer(request.program, tensor),
                place_loops(request.loops[0]).size(), true, {}, longer_in(request));
}

/// Reads of a tensor in a block's body, as functions of its iterators.
std::vector<std::vector<Expr>> reads_of(Block const& block, std::string const& tensor) {
  std::vector<std::vector<Expr>> reads;
  walk_exprs(block.body, [&](Expr const& e) {
    if (auto const* read = e.as<Load>(); read && read->buffer->name == tensor)
      reads.push_back(read->indices);
    return true;
  });
  return reads;
}

/// What is longer than an axis is a part of it where the axis is longer with other sizes.
bool is_whole(Span const& span, IterVar const& iter, Longer longer) {
  int64_t extent = as_int(iter.extent).value_or(0);
  return is_int(span.base, 0) && span.runs.empty() &&
         (longer == Longer::kKept ? span.extent == extent : span.extent >= extent);
}

Span whole_span(arith::Interval const& domain) {
  return {int_imm(domain.low), domain.high - domain.low + 1};
}

/// One span per spatial iterator of the block, from what one iteration makes; a sum runs whole.
std::expected<std::vector<Span>, Refusal> spans_of(StepRequest const& request) {
  Block const& block = *request.blocks[0].block;
  arith::Ranges ranges = iterator_ranges(block);
  std::map<std::string, Span> found;
  for (std::string const& tensor : produced_below(request)) {
    std::vector<Span> box = made_box(request, tensor);
    for (std::vector<Expr> const& indices : reads_of(block, tensor))
      for (IterVar const& iter : block.iters) {
        auto span = iterator_span(iter.name(), indices, box, ranges,
                                  may_be_cut(block, iter) ? Strides::kWhole : Strides::kNo);
        if (!span || is_whole(*span, iter, longer_in(request))) continue;
        auto [at, added] = found.emplace(iter.name(), *span);
        if (!added && (!equal(at->second.base, span->base) || at->second.extent != span->extent ||
                       at->second.runs != span->runs))
          return refuse_stage("boxes_differ",
                              fmt::format("the parts that {} reads do not match", block.name),
                              kCondition);
      }
  }
  std::vector<Span> spans;
  std::vector<arith::Interval> domains = domains_of(request.blocks[0]);
  for (IterVar const& iter : block.iters) {
    auto at = found.find(iter.name());
    if (may_be_cut(block, iter))
      spans.push_back(at != found.end() ? at->second
                                        : whole_span(domains[size_t(&iter - block.iters.data())]));
    else if (at != found.end())
      return refuse_stage(
          "sum_not_finished_there",
          fmt::format("the sum of {} needs more than one iteration computes", block.name),
          kCondition);
  }
  return spans;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  LoopId place = request.loops[0].loop->id;
  std::vector<std::string> taken;
  for (LoopSite const& below : loops_of(request.loops[0].loop->body))
    taken.push_back(below.loop->name());
  Stmt nest = nest_over(block, *spans_of(request), place_loops(request.loops[0]), taken,
                        applied.program, domains_of(request.blocks[0]));
  std::vector<std::string> tensors = produced_below(request);
  applied.program.body = without_block(request.program.body, block.id);
  set_loop_body(applied.program, place, append(site_of(applied.program, place).loop->body, nest));
  // Tensors that only this loop uses belong to its iterations now. Another part of a partitioned
  // loop may still write one that nobody else reads.
  for (std::string const& tensor : tensors) {
    if (is_parameter(applied.program, tensor)) continue;
    auto is_inside = [&](BlockSite const& site) { return is_under(site, place); };
    bool inside = std::ranges::all_of(readers_of(applied.program, tensor), is_inside) &&
                  std::ranges::all_of(writers_of(applied.program, tensor), is_inside);
    Buffer buffer = find_buffer(request.program, tensor);
    if (read_at_other_steps(applied.program, tensor)) continue;
    if (!inside || tensors_of_iteration(request.target, *request.loops[0].loop).contains(tensor))
      continue;
    applied.program.body = without_alloc(applied.program.body, tensor);
    set_loop_body(applied.program, place,
                  make<Alloc>(buffer, site_of(applied.program, place).loop->body));
  }
  return applied;
}

/// What the shape of the program says against the move.
std::expected<void, Refusal> shape_refusal(StepRequest const& request,
                                           std::vector<std::string> const& tensors) {
  BlockSite const& block = request.blocks[0];
  LoopSite const& place = request.loops[0];
  std::vector<For const*> loops = place_loops(place);
  if (auto steps = keeps_steps(request.program, block, loops, kVerb); !steps) return steps;
  for (std::string const& tensor : tensors)
    if (auto box = finishes_box(request, tensor); !box) return box;
  if (auto ready = inputs_ready(request.program, block, loops, tensors, kVerb); !ready)
    return ready;
  auto below = [&](BlockSite const& site) { return is_under(site, place.loop->id); };
  return inputs_precede(request.program, block, below, tensors, kVerb);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  LoopSite const& place = request.loops[0];
  std::string const& name = block.block->name;
  if (auto fits = place_takes_nests(request.program, place, kVerb); !fits)
    return std::unexpected(fits.error());
  if (is_under(block, place.loop->id))
    return refuse_stage(
        "already_there",
        fmt::format("{} is already inside {}", name, reference_of(request.program, place.loop->id)),
        kCondition);
  std::vector<std::string> tensors = produced_below(request);
  if (tensors.empty())
    return refuse_stage("no_producer",
                        fmt::format("{} reads nothing that is computed inside {}", name,
                                    reference_of(request.program, place.loop->id)),
                        kCondition);
  bool goes_on = is_reduction(block) && !block.block->init;
  if (!may_run_again(block) && !goes_on)
    return refuse_stage(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a whole sum or recurrence", name),
        "reverse_compute_at: running instances of the block again must give the same values");
  if (auto alone = only_writer(request.program, block, kVerb);
      !alone && !goes_on && !writes_apart(request.program, block, request.budget))
    return std::unexpected(alone.error());
  if (auto there = inputs_in_scope(request.program, block, place_loops(place), kVerb); !there)
    return std::unexpected(there.error());
  if (auto there = output_in_scope(request.program, block, place_loops(place), kVerb); !there)
    return std::unexpected(there.error());
  if (auto spans = spans_of(request); !spans) return std::unexpected(spans.error());
  Program moved = apply(request).program;
  if (auto scoped = tensors_in_scope(moved, kVerb); !scoped) return std::unexpected(scoped.error());
  std::set<std::string> asked = moved_tensors(request.program, moved);
  asked.insert(written_buffer(block)->name);
  BlockId id = block.block->id;
  if (DataflowAnswer flow =
          check_dataflow({request.program, moved, {id}, asked, {id}}, request.budget);
      !flow.holds())
    return refuse_flow(flow, shape_refusal(request, tensors), kCondition);
  if (auto holds = annotations_hold(moved, request.target, place.loop->id, kVerb, request.budget);
      !holds)
    return std::unexpected(holds.error());
  return Proof{"each iteration completes what the block reads"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "reverse_compute_at",
      .key = "A",
      .title = "Compute a block at its producer's loop",
      .doc =
          "Moves a block into a loop around its producer, right after the part that it reads is "
          "complete: an epilogue on a tile that is still in registers or cache.",
      .rewrite = "for y: P(y); for y: C(P, y)  -- at P.y -->  for y: P(y); C(y)",
      .refused = "cannot be computed there",
      .targets = 2,
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock, TargetKind::kLoop},
      .refuses = {"already_there",
                  "between_steps",
                  "boxes_differ",
                  "dependence_carried",
                  "extent_unknown",
                  "goes_on_from_itself",
                  "input_comes_later",
                  "input_not_ready",
                  "input_out_of_scope",
                  "instances_added",
                  "instances_lost",
                  "no_producer",
                  "not_a_simple_block",
                  "not_finished",
                  "not_finished_there",
                  "not_only_blocks",
                  "opaque_block",
                  "order_carried",
                  "output_out_of_scope",
                  "place_is_vector",
                  "reduction_carried",
                  "several_writers",
                  "sum_not_finished_there",
                  "terms_twice",
                  "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_reverse_compute_at
