#include "engine/schedule/legality/recurrence.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {

using namespace ir;

namespace {

bool holds_loop(std::vector<For const*> const& loops, For const& loop) {
  return std::ranges::any_of(loops, [&](For const* one) { return one->id == loop.id; });
}

/// The block's steps are steps of other blocks, too.
bool shares_steps(Program const& program, BlockSite const& block) {
  for (For const* loop : step_loops(block))
    for (BlockSite const& other : working_blocks(site_of(program, loop->id)))
      if (other.block->id != block.block->id) return true;
  return false;
}

/// The dimensions of the block's tensor that count steps, and the step that the loops are at.
std::vector<std::pair<size_t, Expr>> steps_of(BlockSite const& writer) {
  std::vector<std::pair<size_t, Expr>> steps;
  auto const* store = writer.block->body.as<Store>();
  for (size_t d = 0; store && d < store->indices.size(); ++d) {
    auto const* v = store->indices[d].as<Variable>();
    for (IterVar const& iter : writer.block->iters)
      if (iter.kind == IterKind::kOrdered && v && v->name == iter.name() && !is_int(iter.extent, 1))
        steps.push_back({d, arith::simplify(iter.binding, ranges_of(writer.loops))});
  }
  return steps;
}

/// Every read of the tensor by `reader` is at the step that `writer` computes.
bool reads_this_step(BlockSite const& writer, BlockSite const& reader) {
  if (!written_buffer(writer)) return false;
  for (auto const& [d, now] : steps_of(writer))
    for (BufferAccess const& access : accesses_to(reader, written_buffer(writer)->name))
      if (!access.writes && !equal(access.indices[d], now)) return false;
  return true;
}

/// A block that reads the tensor at another step, inside of the writer's steps.
std::optional<BlockSite> other_step_reader(Program const& program, std::string const& tensor) {
  for (BlockSite const& writer : writers_of(program, tensor)) {
    std::vector<For const*> steps = step_loops(writer);
    for (BlockSite const& reader : readers_of(program, tensor)) {
      bool beside = std::ranges::any_of(
          steps, [&](For const* loop) { return holds_loop(reader.loops, *loop); });
      if (beside && !reads_this_step(writer, reader)) return reader;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<For const*> step_loops(BlockSite const& site) {
  std::vector<For const*> steps;
  for (For const* loop : site.loops)
    for (IterVar const& iter : site.block->iters)
      if (iter.kind == IterKind::kOrdered && uses_variable(iter.binding, loop->name()) &&
          !holds_loop(steps, *loop))
        steps.push_back(loop);
  return steps;
}

bool read_at_other_steps(Program const& program, std::string const& tensor) {
  return other_step_reader(program, tensor).has_value();
}

std::expected<void, Refusal> keeps_steps(Program const& program, BlockSite const& block,
                                         std::vector<For const*> const& new_loops,
                                         std::string const& verb) {
  if (!shares_steps(program, block)) return {};
  std::string const& name = block.block->name;
  std::string condition =
      verb +
      ": a block of a recurrence must stay inside its step, or leave the recurrence entirely";
  std::vector<For const*> steps = step_loops(block);
  std::string step = reference_of(program, steps.front()->id);
  if (reads_itself(*block.block))
    return refuse_stage(
        "goes_on_from_itself",
        fmt::format(
            "{} reads what it computed at an earlier step of {}, which it shares with other blocks",
            name, step),
        condition);
  auto kept =
      std::ranges::count_if(steps, [&](For const* loop) { return holds_loop(new_loops, *loop); });
  bool around = holds_loop(site_of(program, steps.front()->id).around, *new_loops.back());
  if (kept == 0 && !around) return {};
  if (size_t(kept) < steps.size())
    return refuse_stage(
        "between_steps",
        fmt::format("{} would be computed for several steps of {} at once at that place", name,
                    step),
        condition);
  return {};
}

std::expected<void, Refusal> read_at_its_step(Program const& program, BlockSite const& block,
                                              std::vector<For const*> const& new_loops,
                                              std::string const& verb) {
  if (!shares_steps(program, block)) return {};
  Buffer tensor = written_buffer(block);
  auto reader = other_step_reader(program, tensor->name);
  if (!reader) return {};
  std::vector<BlockSite> readers = readers_of(program, tensor->name);
  std::erase_if(readers, [&](BlockSite const& r) { return r.block->id == block.block->id; });
  std::vector<Span> box = box_of(readers, *tensor, new_loops.size(), false);
  arith::Ranges ranges = ranges_of(block.loops);
  for (auto const& [d, now] : steps_of(block))
    if (!arith::always(box[d].base + (box[d].extent - 1) <= now, ranges))
      return refuse_stage(
          "read_at_other_steps",
          fmt::format("{} reads {} as another step of {} computed it", reader->block->name,
                      tensor->name, reference_of(program, step_loops(block).front()->id)),
          verb + ": in a recurrence, nothing of a later step may be computed early");
  return inputs_are_kept(program, block, verb);
}

bool reads_earlier_steps(BlockSite const& writer, BlockSite const& reader,
                         std::vector<For const*> const& loops) {
  std::vector<For const*> steps = step_loops(writer);
  auto inside = [&](std::vector<For const*> const& some) {
    return std::ranges::all_of(steps, [&](For const* step) { return holds_loop(some, *step); });
  };
  auto times = steps_of(writer);
  if (times.empty() || !inside(loops) || !inside(reader.loops)) return false;
  arith::Ranges ranges = ranges_of(reader.loops);
  for (auto const& [d, now] : times)
    for (BufferAccess const& access : accesses_to(reader, written_buffer(writer)->name))
      if (!access.writes && !arith::always(access.indices[d] <= now - 1, ranges)) return false;
  return true;
}

std::expected<void, Refusal> inputs_are_kept(Program const& program, BlockSite const& block,
                                             std::string const& verb) {
  auto reader = other_step_reader(program, written_buffer(block)->name);
  if (!reader) return {};
  for (std::string const& input : read_buffers(*block.block))
    if (!lives_at_top(program, input))
      return refuse_stage(
          "input_out_of_scope",
          fmt::format(
              "{} would need {} as another step computed it, but it exists for one step only",
              reader->block->name, input),
          verb + ": what the block reads must still exist when its readers run");
  return {};
}

}  // namespace tw
