#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_compute_root {
namespace {

using namespace ir;

constexpr char kVerb[] = "compute_root";
constexpr char kCondition[] =
    "compute_root: everything that the block reads is computed before it runs, and its readers get "
    "all that they need";

/// The blocks that stand in one nest with the block, at the top of the program.
std::vector<BlockSite> neighbours(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::vector<BlockSite> found;
  for (BlockSite const& site : blocks_of(request.program.body))
    if (site.block->id != block.block->id && !is_hint(*site.block) &&
        shared_loops(site.loops, block.loops) > 0)
      found.push_back(site);
  return found;
}

/// A neighbour that comes before it makes what the block reads: then it runs after them all.
bool reads_its_nest(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::vector<std::string> read = read_buffers(*block.block);
  bool makes = false;
  for (BlockSite const& site : blocks_of(request.program.body)) {
    if (site.block->id == block.block->id) break;
    if (shared_loops(site.loops, block.loops) == 0) continue;
    walk_writes(site.block->body, [&](Touched const& at) {
      makes = makes || std::ranges::find(read, at.buffer->name) != read.end();
    });
  }
  return makes;
}

/// The block makes its tensor alone: all of it, whatever part the place wanted.
bool makes_whole_tensor(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  return may_run_again(block) && only_writer(request.program, block, kVerb).has_value();
}

/// Every instance of the block that its loops run, each once.
Stmt whole_nest(BlockSite const& site, Program& program) {
  std::vector<arith::Interval> domains = domains_of(site);
  std::vector<Span> whole;
  for (size_t i = 0; i < domains.size(); ++i)
    if (may_be_cut(*site.block, site.block->iters[i]))
      whole.push_back({int_imm(domains[i].low), domains[i].high - domains[i].low + 1});
  return nest_over(*site.block, whole, {}, {}, program, domains);
}

/// Of a block that is a part of its tensor's computation: the loops that it had, for it alone.
Stmt same_nest(BlockSite const& site, Program& program) {
  Block const& block = *site.block;
  Stmt nest = make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                               block.predicate, block.init, block.body);
  for (size_t i = site.loops.size(); i-- > 0;)
    nest = make<For>(program.fresh_loop(), site.loops[i]->var, site.loops[i]->extent,
                     LoopKind::kSerial, nest);
  return nest;
}

/// Tensors that the block uses and that live in loops: they move out with it.
std::set<std::string> tensors_inside(StepRequest const& request) {
  std::vector<std::string> used = read_buffers(*request.blocks[0].block);
  used.push_back(written_buffer(request.blocks[0])->name);
  std::set<std::string> inside;
  for (std::string const& tensor : used)
    if (!lives_at_top(request.program, tensor)) inside.insert(tensor);
  return inside;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  Stmt nest = makes_whole_tensor(request) ? whole_nest(request.blocks[0], applied.program)
                                          : same_nest(request.blocks[0], applied.program);
  bool after = reads_its_nest(request);
  BlockId anchor = neighbours(request).front().block->id;
  Stmt body = without_block(request.program.body, block.id);
  for (std::string const& tensor : tensors_inside(request)) body = without_alloc(body, tensor);
  body = after ? insert_after(body, nest, {anchor}) : insert_before(body, nest, {anchor});
  for (std::string const& tensor : tensors_inside(request))
    body = make<Alloc>(find_buffer(request.program, tensor), body);
  applied.program.body = body;
  return applied;
}

/// Of two blocks that write one tensor, elsewhere than each other or one an update: then their
/// order is one of writes and reads.
std::expected<void, Refusal> parts_keep_order(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  for (BlockSite const& writer : writers_of(request.program, written_buffer(block)->name)) {
    bool own = writer.block->id == block.block->id;
    bool again = is_complete(writer) || is_recurrence(writer);
    bool known = again || is_reduction(writer);
    bool once = again || runs_each_once(writer, request.budget);
    bool ordered = own || is_reduction(writer) || is_reduction(block) ||
                   find_written_by_both(block, writer, request.budget).none();
    if (known && once && ordered) continue;
    return refuse_stage(
        "several_writers",
        fmt::format("{} also writes {}, {}", writer.block->name, written_buffer(block)->name,
                    !known  ? "in an order of its own"
                    : !once ? "adding terms more than once"
                            : "and some of the same elements"),
        "compute_root: others that write the block's tensor write other elements, or add to it");
  }
  return {};
}

/// No iterations that meet in an element change places, when all of the block's run before those of
/// its nest, or after them.
bool keeps_all_orders(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::vector<BlockSite> in_order = blocks_of(request.program.body);
  auto leads = [&](BlockSite const& a, BlockSite const& b) {
    auto found = std::ranges::find_if(in_order, [&](BlockSite const& site) {
      return site.block->id == a.block->id || site.block->id == b.block->id;
    });
    return found->block->id == a.block->id;
  };
  bool after = reads_its_nest(request);
  return std::ranges::all_of(neighbours(request), [&](BlockSite const& other) {
    BlockSite const &first = after ? other : block, &second = after ? block : other;
    std::vector<For const*> chain(
        block.loops.begin(), block.loops.begin() + int64_t(shared_loops(block.loops, other.loops)));
    return find_crossing({first}, {second}, chain, {}, request.budget, leads(second, first)).none();
  });
}

std::expected<void, Refusal> has_a_nest_to_leave(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& name = block.block->name;
  if (neighbours(request).empty())
    return refuse_stage("already_there", fmt::format("{} already has a nest of its own", name),
                        "compute_root: the block must be in one nest with others");
  for (IterVar const& iter : block.block->iters)
    if (!as_int(iter.extent))
      return refuse_stage(
          "extent_unknown",
          fmt::format("the extent of {} is not known before the kernel runs", iter.name()),
          "compute_root: the extents must be constants");
  return {};
}

std::expected<void, Refusal> can_be_asked(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  if (!may_run_again(block) && !is_reduction(block))
    return refuse_stage(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a sum or recurrence", block.block->name),
        "compute_root: the order of the block's instances must be free");
  return makes_whole_tensor(request) ? std::expected<void, Refusal>() : parts_keep_order(request);
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  if (auto leaves = has_a_nest_to_leave(request); !leaves) return std::unexpected(leaves.error());
  bool ordered = written_buffer(block) && !makes_whole_tensor(request) && keeps_all_orders(request);
  if (!ordered)
    if (auto asked = can_be_asked(request); !asked) return std::unexpected(asked.error());
  Program moved = apply(request).program;
  if (auto scoped = tensors_in_scope(moved, kVerb); !scoped) return std::unexpected(scoped.error());
  std::set<std::string> inside = tensors_inside(request), asked = inside;
  asked.insert(written_buffer(block)->name);
  DataflowQuestion question{request.program, moved, {block.block->id}, asked, {}};
  DataflowAnswer flow = ordered ? DataflowAnswer() : check_dataflow(question, request.budget);
  if (!flow.holds())
    return refuse_flow(flow, inputs_stay_before(request.program, moved, block, kVerb), kCondition);
  if (auto hold = shared_tensors_hold(moved, request.target, inside, kVerb, request.budget); !hold)
    return std::unexpected(hold.error());
  return Proof{.by = ordered ? "iterations that access the same element keep their order"
                             : "all of the tensor is computed before it is read",
               .orders_turns = ordered};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "compute_root",
      .key = "Shift+C",
      .title = "Compute a block in a nest of its own",
      .doc =
          "Undoes a placement: the block leaves the loops that it shares with others and computes "
          "its whole tensor in loops of its own, before its readers or after what it reads. "
          "Tensors that it shares with the nest move out, too. A part of a tensor's computation "
          "keeps its own loops.",
      .rewrite = "for y: P(part); C(part, y)  -->  for y: P(y); for y: C(P, y)",
      .refused = "cannot be computed in a nest of its own",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .refuses = {"already_there", "dependence_carried", "extent_unknown", "input_comes_later",
                  "input_out_of_scope", "instances_added", "instances_lost", "not_a_simple_block",
                  "not_finished", "order_carried", "reduction_carried", "several_writers",
                  "terms_twice", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_compute_root
