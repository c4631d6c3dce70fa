#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/kept_rows.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/sliding_window.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/copies.h"
#include "engine/schedule/rewriting/pipelining.h"

namespace tw::primitive_rolling_buffer {
namespace {

using namespace ir;

constexpr char kVerb[] = "rolling_buffer";
constexpr char kCondition[] =
    "rolling_buffer: each iteration of a serial loop must compute a part of the block's tensor "
    "that "
    "overlaps with the next one's, and the same values there";

/// A block whose rows are computed from its first to its last one in each iteration of a loop.
struct Rolling {
  LoopSite loop;         ///< that the tensor is allocated in
  size_t statement = 0;  ///< of its body: the block's nest
  Buffer tensor;
  MovingPart part;
  For const* rows = nullptr;  ///< in the nest, one iteration for each of the part's elements
};

std::optional<LoopSite> loop_of(Program const& program, std::string const& tensor) {
  std::optional<LoopSite> found;
  for (LoopSite const& site : loops_of(program.body))
    for (Buffer const& one : parts_of(*site.loop).tensors)
      if (one->name == tensor) found = site;
  return found;
}

/// The loop of the nest that counts the values of the iterator, beside what stands still in it.
For const* rows_of(BlockSite const& block, IterVar const& iter, LoopSite const& outer) {
  For const* rows = nullptr;
  for (size_t i = outer.around.size() + 1; i < block.loops.size(); ++i) {
    if (!uses_variable(iter.binding, block.loops[i]->name())) continue;
    if (rows) return nullptr;
    rows = block.loops[i];
  }
  if (!rows) return nullptr;
  Expr still = arith::simplify(iter.binding - rows->var);
  return uses_variable(still, rows->name()) ? nullptr : rows;
}

/// Whether the block does the same for a row in whatever iteration it computes it.
bool is_told_by_row(BlockSite const& block, IterVar const& iter, For const& rows, For const& loop) {
  for (IterVar const& other : block.block->iters)
    if (other.name() != iter.name() &&
        (uses_variable(other.binding, rows.name()) || uses_variable(other.binding, loop.name())))
      return false;
  if (!block.block->predicate) return true;
  Expr still = arith::simplify(iter.binding - rows.var);
  Expr of_row =
      arith::simplify(substitute(block.block->predicate, {{rows.name(), var("row") - still}}));
  return !uses_variable(of_row, loop.name()) && !uses_variable(of_row, rows.name());
}

std::unexpected<Refusal> refuse_here(std::string code, std::string message) {
  return refuse_stage(std::move(code), std::move(message), kCondition);
}

/// What must hold, and what the rewriting alone needs.
enum class Rules : uint8_t { kAll, kOfForm };

/// What a row is made of: tensors that the loop makes, each with a block that writes it; but for
/// those that every row computes for itself, which are made of others in turn.
std::map<std::string, BlockSite> made_inside(Program const& program, BlockSite const& block,
                                             LoopSite const& loop, For const& rows) {
  std::set<std::string> reads;
  for (BlockSite const& site : blocks_of(rows.body))
    for (std::string const& read : read_buffers(*site.block))
      if (read != written_buffer(block)->name && !is_allocated_in(rows.body, read))
        reads.insert(read);
  std::map<std::string, BlockSite> made;
  for (std::string const& read : reads)
    for (BlockSite const& writer : writers_of(program, read))
      if (is_under(writer, loop.loop->id)) made.try_emplace(read, writer);
  return made;
}

/// One block writes each element of the tensor once, and all iterations of the loop share it; or
/// the loop keeps its rows already.
bool has_one_value(Program const& program, std::string const& tensor, LoopSite const& loop) {
  std::vector<BlockSite> writers = writers_of(program, tensor);
  if (keeps_its_rows(program, tensor, loop)) return true;
  return writers.size() == 1 && settles(writers[0]) && !is_allocated_in(loop.loop->body, tensor);
}

/// The elements of what the loop makes do not change.
std::expected<void, Refusal> reads_what_stays(Program const& program, BlockSite const& block,
                                              LoopSite const& loop, For const& rows) {
  for (auto const& [read, writer] : made_inside(program, block, loop, rows))
    if (!has_one_value(program, read, loop))
      return refuse_here(
          "inputs_change",
          fmt::format("{} reads {}, which {} computes in the same loop {}", block.block->name, read,
                      writer.block->name, reference_of(program, loop.loop->id)));
  return {};
}

std::expected<Rolling, Refusal> place_of(StepRequest const& request) {
  BlockSite const& block = request.blocks[0];
  std::string const& name = block.block->name;
  Buffer tensor = written_buffer(block);
  auto loop = tensor ? loop_of(request.program, tensor->name) : std::nullopt;
  if (!loop)
    return refuse_here("not_in_a_loop",
                       fmt::format("the tensor of {} is not allocated in a loop: move its "
                                   "computation into one first (compute_at)",
                                   name));
  if (auto plain = plain_loop(request.program, *loop, kVerb); !plain)
    return std::unexpected(plain.error());
  Rolling rolling{*loop, 0, tensor, {}, nullptr};
  std::vector<Stmt> statements = parts_of(*loop->loop).statements;
  for (size_t i = 0; i < statements.size(); ++i)
    for (BlockSite const& site : blocks_of(statements[i]))
      if (site.block->id == block.block->id) rolling.statement = i;
  return rolling;
}

/// Each row has one value, in whatever iteration it is computed.
std::expected<void, Refusal> computes_the_same(StepRequest const& request, Rolling const& rolling,
                                               IterVar const& row) {
  BlockSite const& block = request.blocks[0];
  if (!makes_tensor(block) && !goes_on_in_its_row(block, rolling.part.dimension))
    return refuse_here(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a whole sum", block.block->name));
  if (writers_of(request.program, rolling.tensor->name).size() > 1)
    return refuse_here("several_writers",
                       fmt::format("{} is written by other blocks, too", rolling.tensor->name));
  if (!is_told_by_row(block, row, *rolling.rows, *rolling.loop.loop))
    return refuse_here(
        "rows_differ",
        fmt::format("which part of a row {} computes depends on the iteration of {}",
                    block.block->name, reference_of(request.program, rolling.loop.loop->id)));
  return reads_what_stays(request.program, block, rolling.loop, *rolling.rows);
}

std::expected<Rolling, Refusal> rolling_of(StepRequest const& request, Rules rules) {
  auto rolling = place_of(request);
  if (!rolling) return rolling;
  BlockSite const& block = request.blocks[0];
  std::string loop = reference_of(request.program, rolling->loop.loop->id);
  SlidingWindow movement =
      sliding_window_of(request.program, request.target, rolling->loop, *rolling->tensor);
  if (movement.stays)
    return refuse_here(
        "same_elements",
        fmt::format("the elements of {} that an iteration of {} uses are the same in all of them",
                    rolling->tensor->name, loop));
  if (!movement.part)
    return refuse_here("rows_do_not_move",
                       fmt::format("the elements of {} that an iteration of {} uses do not advance "
                                   "by a constant stride in one dimension",
                                   rolling->tensor->name, loop));
  rolling->part = *movement.part;
  if (rolling->part.extent <= rolling->part.step)
    return refuse_here("nothing_to_keep",
                       fmt::format("no iteration of {} uses an element of {} that the one before "
                                   "it uses",
                                   loop, rolling->tensor->name));
  auto const* row = block.block->body.to<Store>().indices[rolling->part.dimension].as<Variable>();
  auto iter = std::ranges::find_if(
      block.block->iters, [&](IterVar const& one) { return row && one.name() == row->name; });
  rolling->rows = iter == block.block->iters.end() ? nullptr : rows_of(block, *iter, rolling->loop);
  if (!rolling->rows || !is_int(rolling->rows->extent, rolling->part.extent))
    return refuse_here("rows_do_not_show",
                       fmt::format("{} does not compute dimension {} of {} row by row, {} of them "
                                   "in an iteration of {}",
                                   block.block->name, rolling->part.dimension,
                                   rolling->tensor->name, rolling->part.extent, loop));
  if (rules == Rules::kAll)
    if (auto same = computes_the_same(request, *rolling, *iter); !same)
      return std::unexpected(same.error());
  return rolling;
}

Applied apply(StepRequest const& request);

/// Of a tensor of which the loop keeps rows, too, the first rows are there before it; the others
/// are not.
std::expected<void, Refusal> first_rows_are_kept(StepRequest const& request, Program const& after,
                                                 std::string const& tensor, LoopSite const& loop) {
  std::vector<BlockSite> before = blocks_of(request.program.body);
  for (BlockSite const& reader : readers_of(after, tensor)) {
    bool is_new = std::ranges::none_of(
        before, [&](BlockSite const& old) { return old.block->id == reader.block->id; });
    for (BlockSite const& writer : writers_of(after, tensor))
      if (is_new && !is_under(writer, loop.loop->id) &&
          !reads_what_is_written(reader, writer, request.budget))
        return refuse_here("first_rows_not_there",
                           fmt::format("before the loop {} would read elements of {} that {} does "
                                       "not compute",
                                       reader.block->name, tensor, writer.block->name));
  }
  return {};
}

/// They are computed before the loop, which may make what they read.
std::expected<void, Refusal> first_rows_are_ready(StepRequest const& request,
                                                  Rolling const& rolling) {
  auto made = made_inside(request.program, request.blocks[0], rolling.loop, *rolling.rows);
  if (made.empty()) return {};
  Program after = apply(request).program;
  DataflowQuestion question{request.program, after};
  for (auto const& [tensor, writer] : made) {
    if (!keeps_its_rows(request.program, tensor, rolling.loop)) {
      question.tensors.insert(tensor);
      continue;
    }
    if (auto kept = first_rows_are_kept(request, after, tensor, rolling.loop); !kept) return kept;
  }
  if (question.tensors.empty()) return {};
  DataflowAnswer flow = check_dataflow(question, request.budget);
  if (!flow.holds()) return refuse_flow(flow, {}, kCondition);
  return {};
}

/// Everything in the block's nest is made for a row: other tensors of which rows are kept are read
/// in the iterations in which they were, or as they are before the loop.
bool computes_rows_only(Rolling const& rolling) {
  std::vector<BlockSite> blocks =
      blocks_of(parts_of(*rolling.loop.loop).statements[rolling.statement]);
  return std::ranges::all_of(
      blocks, [&](BlockSite const& site) { return is_under(site, rolling.rows->id); });
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto rolling = rolling_of(request, Rules::kAll);
  if (!rolling) return std::unexpected(rolling.error());
  if (auto ready = first_rows_are_ready(request, *rolling); !ready)
    return std::unexpected(ready.error());
  return Proof{.by = "what an iteration keeps it would compute again from the same values",
               .orders_turns = computes_rows_only(*rolling)};
}

Stmt with_extent(Stmt const& nest, LoopId rows, int64_t extent) {
  return rewrite_stmts(nest, [&](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop || loop->id != rows) return nullptr;
    return make_from<For>(loop->origin, loop->id, loop->var, int_imm(extent), loop->loop_kind,
                          loop->body, loop->bind);
  });
}

/// Rows that the first iteration keeps from before it: the same nest, with loops, blocks and
/// tensors of its own.
Stmt first_rows(StepRequest const& request, Rolling const& rolling, Stmt const& nest, int64_t kept,
                Program& program) {
  For const& loop = *rolling.loop.loop;
  For const& rows = *rolling.rows;
  Substitution first_iteration{{loop.name(), int_imm(0)}};
  std::vector<std::pair<std::string, int64_t>> counts;
  if (rolling.part.backwards) {  // its last rows
    first_iteration[rows.name()] = rows.var + rolling.part.step;
    counts.emplace_back(rows.name(), kept);
  }
  Stmt first = rebind(with_extent(nest, rows.id, kept), first_iteration, nullptr, counts,
                      rolling.loop.around);
  return Copies(request.program, program).copy(first, "_first");
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  auto rolling = rolling_of(request, Rules::kOfForm);
  if (!rolling) return applied;
  For const& loop = *rolling->loop.loop;
  LoopParts parts = parts_of(loop);
  Stmt nest = parts.statements[rolling->statement];
  int64_t step = rolling->part.step, kept = rolling->part.extent - step;
  Stmt before = first_rows(request, *rolling, nest, kept, applied.program);
  std::string const& row = rolling->rows->name();
  std::vector<For const*> around = rolling->loop.around;
  around.push_back(&loop);
  Substitution new_rows;
  if (!rolling->part.backwards) new_rows[row] = rolling->rows->var + kept;
  parts.statements[rolling->statement] =
      rebind(with_extent(nest, rolling->rows->id, step), new_rows, nullptr, {{row, step}}, around);
  Stmt body = seq(std::move(parts.statements));
  for (size_t i = parts.tensors.size(); i-- > 0;)
    if (parts.tensors[i]->name != rolling->tensor->name) body = make<Alloc>(parts.tensors[i], body);
  Stmt whole = seq(
      {before, make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, body)});
  applied.program.body =
      replace_loop(request.program.body, loop.id, make<Alloc>(rolling->tensor, whole));
  size_t dimension = rolling->part.dimension;
  if (rolling->part.extent < as_int(rolling->tensor->shape[dimension]).value_or(0))
    applied.program =
        with_turns(std::move(applied.program), rolling->tensor, dimension, rolling->part.extent);
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "rolling_buffer",
      .key = "Shift+J",
      .title = "Keep rows for the next iteration",
      .doc =
          "A block that is computed in a loop, for a reader that needs overlapping parts of it (a "
          "stencil), keeps what the next iteration uses again: each computes only its new rows, in "
          "place of those that are no longer needed. The first rows are computed before the loop.",
      .rewrite =
          "for y: T[y..y+3] = A(..); use(T)  -->  T[0..2] = A(..); for y: T[(y+2)%3] = "
          "A(y+2); use(T)",
      .refused = "cannot keep rows",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .open_sizes = OpenSizes{},
      .refuses = {"dependence_carried", "extent_unknown",     "first_rows_not_there",
                  "inputs_change",      "instances_added",    "instances_lost",
                  "loop_annotated",     "not_a_simple_block", "not_finished",
                  "not_in_a_loop",      "not_only_blocks",    "nothing_to_keep",
                  "opaque_block",       "order_carried",      "reduction_carried",
                  "rows_differ",        "rows_do_not_move",   "rows_do_not_show",
                  "same_elements",      "several_writers",    "terms_twice",
                  "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_rolling_buffer
