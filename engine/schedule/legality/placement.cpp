#include "engine/schedule/legality/placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/recurrence.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/layout.h"

namespace tw {

using namespace ir;

namespace {

/// The allocation of a tensor stands outside of the innermost of `loops`, or of all of them.
bool visible_in(Program const& program, std::string const& buffer,
                std::vector<For const*> const& loops) {
  if (is_parameter(program, buffer)) return true;
  bool visible = false;
  walk(program.body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    if (!alloc || alloc->buffer->name != buffer) return true;
    // Loops around the allocation must all be loops of the place.
    size_t outside = 0;
    for (LoopSite const& site : loops_of(program.body)) {
      bool around = false;
      walk(site.loop->body, [&](Stmt const& x) { return around = around || x.same_as(s), true; });
      bool shared = std::any_of(loops.begin(), loops.end(),
                                [&](For const* f) { return f->id == site.loop->id; });
      outside += around && !shared;
    }
    visible = outside == 0;
    return false;
  });
  return visible;
}

bool runs_at_once(LoopKind kind) {
  return kind == LoopKind::kParallel || kind == LoopKind::kVector || kind == LoopKind::kBind;
}

}  // namespace

std::expected<void, Refusal> inputs_in_scope(Program const& program, BlockSite const& block,
                                             std::vector<For const*> const& new_loops,
                                             std::string const& verb) {
  Buffer own = written_buffer(block);
  for (std::string const& buffer : read_buffers(*block.block))
    if ((!own || own->name != buffer) && !visible_in(program, buffer, new_loops))
      return refuse_stage(
          "input_out_of_scope",
          fmt::format("{} reads {}, which does not exist at that place", block.block->name, buffer),
          verb + ": everything that the block reads is computed before it runs");
  return {};
}

std::expected<void, Refusal> inputs_ready(Program const& program, BlockSite const& block,
                                          std::vector<For const*> const& new_loops,
                                          std::vector<std::string> const& exempt,
                                          std::string const& verb) {
  if (auto visible = inputs_in_scope(program, block, new_loops, verb); !visible) return visible;
  std::string condition = verb + ": everything that the block reads is computed before it runs";
  for (std::string const& buffer : read_buffers(*block.block)) {
    if (std::find(exempt.begin(), exempt.end(), buffer) != exempt.end()) continue;
    for (BlockSite const& writer : writers_of(program, buffer)) {
      if (writer.block->id == block.block->id) continue;
      if (reads_earlier_steps(writer, block, new_loops)) continue;
      if (shared_loops(writer.loops, new_loops) > shared_loops(writer.loops, block.loops))
        return refuse_stage(
            "input_not_ready",
            fmt::format("{} reads {}, of which {} has computed only a part at that place",
                        block.block->name, buffer, writer.block->name),
            condition);
    }
  }
  return {};
}

std::expected<void, Refusal> tensors_in_scope(Program const& after, std::string const& verb) {
  Status whole = verify(after);
  if (whole) return {};
  return refuse_stage("input_out_of_scope", fmt::format("after it {}", whole.error().message),
                      verb + ": tensors must exist where they are used");
}

bool come_before(Program const& after, std::vector<BlockSite> const& earlier,
                 std::vector<BlockSite> const& later) {
  std::vector<BlockSite> blocks = blocks_of(after.body);
  auto place = [&](BlockSite const& site) {
    return std::ranges::find(blocks, site.block->id, [](auto const& b) { return b.block->id; });
  };
  return std::ranges::all_of(earlier, [&](BlockSite const& a) {
    return std::ranges::all_of(later, [&](BlockSite const& b) {
      return a.block->id == b.block->id ||
             (place(a) < place(b) && shared_loops(a.loops, b.loops) == 0);
    });
  });
}

std::expected<void, Refusal> output_in_scope(Program const& program, BlockSite const& block,
                                             std::vector<For const*> const& new_loops,
                                             std::string const& verb) {
  std::string tensor = written_buffer(block)->name;
  if (visible_in(program, tensor, new_loops)) return {};
  return refuse_stage(
      "output_out_of_scope",
      fmt::format("{} writes {}, which does not exist at that place", block.block->name, tensor),
      verb + ": the tensor that the block writes exists there");
}

std::expected<void, Refusal> inputs_precede(Program const& program, BlockSite const& block,
                                            std::function<bool(BlockSite const&)> const& here,
                                            std::vector<std::string> const& exempt,
                                            std::string const& verb) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  auto first = std::find_if(blocks.begin(), blocks.end(), here);
  for (std::string const& buffer : read_buffers(*block.block)) {
    if (std::find(exempt.begin(), exempt.end(), buffer) != exempt.end()) continue;
    for (BlockSite const& writer : writers_of(program, buffer))
      if (writer.block->id != block.block->id &&
          std::any_of(first, blocks.end(),
                      [&](BlockSite const& later) { return later.block->id == writer.block->id; }))
        return refuse_stage("input_comes_later",
                            fmt::format("{} reads {}, which {} computes after that place",
                                        block.block->name, buffer, writer.block->name),
                            verb + ": everything that the block reads is computed before it runs");
  }
  return {};
}

std::expected<void, Refusal> place_takes_nests(Program const& program, LoopSite const& place,
                                               std::string const& verb) {
  std::vector<LoopSite> chain{place};
  for (For const* loop : place.around) chain.push_back(site_of(program, loop->id));
  for (LoopSite const& site : chain)
    if (site.loop->loop_kind == LoopKind::kVector)
      return refuse("place_is_vector",
                    fmt::format("{} is vectorized: it cannot contain another loop nest",
                                reference_of(program, site.loop->id)),
                    verb + ": the loops around that place must not be vectorized", {site});
  for (LoopSite const& site : chain)
    if (auto plain = plain_chain(program, {site}, verb); !plain) return plain;
  return {};
}

std::expected<void, Refusal> annotations_hold(Program const& moved, Target const& target,
                                              LoopId place, std::string const& verb,
                                              ProofBudget budget) {
  LoopSite site = site_of(moved, place);
  std::vector<For const*> chain = site.around;
  chain.push_back(site.loop);
  for (For const* loop : chain)
    if (loop->loop_kind == LoopKind::kParallel || loop->loop_kind == LoopKind::kBind)
      if (auto free = independent_iterations(moved, target, site_of(moved, loop->id), verb, budget);
          !free)
        return std::unexpected(free.error());
  return {};
}

std::expected<void, Refusal> shared_tensors_hold(Program const& moved, Target const& target,
                                                 std::set<std::string> const& tensors,
                                                 std::string const& verb, ProofBudget budget) {
  std::set<LoopId> asked;
  for (std::string const& tensor : tensors)
    for (BlockSite const& writer : writers_of(moved, tensor))
      for (For const* loop : writer.loops) {
        if (!runs_at_once(loop->loop_kind) || !asked.insert(loop->id).second) continue;
        auto free = independent_iterations(moved, target, site_of(moved, loop->id), verb, budget);
        if (!free) return std::unexpected(free.error());
      }
  return {};
}

std::expected<void, Refusal> inputs_stay_before(Program const& program, Program const& moved,
                                                BlockSite const& block, std::string const& verb) {
  auto place_of = [](std::vector<BlockSite> const& blocks, BlockId id) {
    return std::ranges::find_if(blocks, [&](BlockSite const& s) { return s.block->id == id; }) -
           blocks.begin();
  };
  std::vector<BlockSite> before = blocks_of(program.body), after = blocks_of(moved.body);
  auto precedes = [&](std::vector<BlockSite> const& blocks, BlockId writer) {
    return place_of(blocks, writer) < place_of(blocks, block.block->id);
  };
  for (std::string const& buffer : read_buffers(*block.block))
    for (BlockSite const& writer : writers_of(program, buffer))
      if (precedes(before, writer.block->id) && !precedes(after, writer.block->id))
        return refuse_stage("input_comes_later",
                            fmt::format("{} reads {}, which {} computes after that place",
                                        block.block->name, buffer, writer.block->name),
                            verb + ": everything that the block reads is computed before it runs");
  return {};
}

bool writes_apart(Program const& program, BlockSite const& block, ProofBudget budget) {
  return std::ranges::all_of(writers_of(program, written_buffer(block)->name),
                             [&](BlockSite const& writer) {
                               return writer.block->id == block.block->id ||
                                      find_written_by_both(block, writer, budget).none();
                             });
}

std::expected<void, Refusal> only_writer(Program const& program, BlockSite const& block,
                                         std::string const& verb) {
  std::string buffer = written_buffer(block)->name;
  for (BlockSite const& writer : writers_of(program, buffer))
    if (writer.block->id != block.block->id)
      return refuse_stage("several_writers",
                          fmt::format("{} also writes {}: {} cannot be moved alone",
                                      writer.block->name, buffer, block.block->name),
                          verb + ": the block must be the only one that writes its tensor");
  return {};
}

std::expected<void, Refusal> layout_fits(StepRequest const& request, BufferNode const& buffer,
                                         std::string const& verb) {
  if (!request.has("layout")) return {};
  if (!constant_shape(buffer))
    return refuse_stage("not_one_tensor", fmt::format("the shape of {} is not known", buffer.name),
                        fmt::format("{}: a layout needs a constant shape", verb));
  auto layout = parse_layout(request.word("layout"), buffer.shape.size());
  if (layout) return {};
  return refuse_stage("bad_layout",
                      fmt::format("'{}' is not a layout of {}: {}", request.word("layout"),
                                  buffer.name, layout.error().message),
                      fmt::format("{}: one letter per dimension (A, B, ...), and blocks as a "
                                  "number and the lowercase letter",
                                  verb));
}

std::unexpected<Refusal> refuse_flow(DataflowAnswer const& flow,
                                     std::expected<void, Refusal> const& shape,
                                     std::string const& condition) {
  bool found = !flow.code.empty();
  auto refusal = found
                     ? refuse_stage(flow.code, flow.message, condition)
                     : refuse_stage("undecided",
                                    "it could not be proved that every read comes after the writes "
                                    "that it needs, although no counterexample was found: " +
                                        flow.unknown,
                                    condition);
  // Instances that are lost or added say more than shapes, which would speak of a pair.
  bool has_words = found && !flow.conflict;
  if (!shape && !has_words) refusal = std::unexpected(shape.error());
  refusal.error().conflict = flow.conflict;
  refusal.error().undecided = !found;
  return refusal;
}

}  // namespace tw
