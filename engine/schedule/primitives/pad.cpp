#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"
#include "engine/schedule/rewriting/padding.h"

namespace tw::primitive_pad {
namespace {

using namespace ir;

constexpr char kVerb[] = "pad";
constexpr char kCondition[] = "pad: the loop must be a whole axis of the only block inside it";

int64_t next_multiple(int64_t extent, int64_t of) { return (extent + of - 1) / of * of; }

/// The iterator that the loop is, as a place in the block's list; nothing where it is none.
std::optional<size_t> axis_of(Block const& block, For const& loop) {
  std::optional<size_t> found;
  for (size_t i = 0; i < block.iters.size(); ++i) {
    IterVar const& iter = block.iters[i];
    if (!uses_variable(iter.binding, loop.name())) continue;
    if (found || !iter.binding.as<Variable>() || !equal(iter.extent, loop.extent))
      return std::nullopt;
    found = i;
  }
  bool guards = block.predicate && uses_variable(block.predicate, loop.name());
  return guards ? std::nullopt : found;
}

/// A block that starts the sums in a nest of its own, with the loop and the iterator there that are
/// the axis: they grow, too.
struct Start {
  BlockSite site;
  LoopSite loop;
  size_t axis = 0;
};

bool is_constant(Expr const& e) {
  bool constant = true;
  walk(e, [&](Expr const& part) {
    return constant = constant && !part.as<Load>() && !part.as<Variable>(), constant;
  });
  return constant;
}

/// The dimension of the written tensor that an iterator alone chooses; nothing: it does more.
std::optional<size_t> dimension_of(Block const& block, size_t axis) {
  std::optional<size_t> found;
  auto const& indices = block.body.to<Store>().indices;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!uses_variable(indices[d], block.iters[axis].name())) continue;
    if (found || !indices[d].as<Variable>()) return std::nullopt;
    found = d;
  }
  return found;
}

/// Nothing: nobody else writes the tensor, or one that cannot grow with the block.
std::optional<Start> start_of(StepRequest const& request, BlockSite const& site, size_t axis) {
  std::vector<BlockSite> others = writers_of(request.program, written_buffer(site)->name);
  std::erase_if(others, [&](BlockSite const& one) { return one.block->id == site.block->id; });
  auto dimension = dimension_of(*site.block, axis);
  if (others.size() != 1 || !dimension || !is_complete(others[0])) return std::nullopt;
  Block const& block = *others[0].block;
  if (shared_loops(others[0].loops, site.loops) > 0 || !is_constant(block.body.to<Store>().value))
    return std::nullopt;
  for (For const* loop : others[0].loops) {
    auto same = axis_of(block, *loop);
    LoopSite place = site_of(request.program, loop->id);
    if (same && dimension_of(block, *same) == dimension && blocks_under(place).size() == 1 &&
        equal(loop->extent, site.block->iters[axis].extent) &&
        plain_loop(request.program, place, kVerb))
      return Start{others[0], place, *same};
  }
  return std::nullopt;
}

/// What the step makes of the block.
struct Padded {
  BlockSite site;
  size_t axis = 0;
  int64_t extent = 0;
  std::optional<std::vector<PaddedRead>> reads;  ///< nothing: the body chooses by the iterator
  Buffer room;                                   ///< in place of the tensor; null: it has room
  Stmt block;
};

bool chooses(IterVar const& iter) { return iter.kind != IterKind::kReduce; }

/// Room for the elements that the further instances write.
Buffer with_room(Program const& program, Block const& block, size_t axis, int64_t extent) {
  Store const& store = block.body.to<Store>();
  arith::Ranges ranges = iterator_ranges(block);
  ranges.set(block.iters[axis].name(), {0, extent - 1});
  BufferNode node = *store.buffer;
  for (size_t d = 0; d < node.shape.size(); ++d)
    if (auto reach = arith::bounds(store.indices[d], ranges))
      node.shape[d] = int_imm(std::max(*as_int(node.shape[d]), reach->high + 1));
  node.name = free_tensor_name(program, node.name + "_pad");
  return std::make_shared<BufferNode const>(std::move(node));
}

/// An instance of a recurrence goes on from ones with the same value of the axis.
bool stays_on_axis(Block const& block, IterVar const& axis) {
  Store const& store = block.body.to<Store>();
  bool stays = true;
  walk(store.value, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && read->buffer->name == store.buffer->name)
      for (size_t d = 0; d < store.indices.size(); ++d)
        stays = stays && (equal(read->indices[d], store.indices[d]) ||
                          (!uses_variable(read->indices[d], axis.name()) &&
                           !uses_variable(store.indices[d], axis.name())));
    return true;
  });
  return stays;
}

/// Further terms of a sum must be told from what it goes on from.
bool can_grow(BlockSite const& site, size_t axis) {
  bool sums = site.block->iters[axis].kind == IterKind::kReduce;
  return is_complete(site) || is_reduction(site) || (!sums && is_recurrence(site));
}

Padded padded(StepRequest const& request) {
  For const& loop = *request.loops[0].loop;
  Padded made{working_blocks(request.loops[0]).front(), 0, 0, {}, nullptr, {}};
  for (BlockSite const& site : blocks_of(request.program.body))
    if (site.block->id == made.site.block->id) made.site = site;
  Block const& block = *made.site.block;
  made.axis = *axis_of(block, loop);
  IterVar const& axis = block.iters[made.axis];
  int64_t end = *as_int(loop.extent);
  made.extent = next_multiple(end, request.number("to"));
  if (stays_on_axis(block, axis))
    made.reads = padded_reads(request.program, made.site, made.axis, made.extent);
  std::vector<IterVar> iters = block.iters;
  iters[made.axis].extent = int_imm(made.extent);
  Stmt next = make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                               block.predicate, block.init,
                               made.reads ? block.body : guarded_body(block, axis, end));
  if (made.reads)
    for (PaddedRead const& read : *made.reads)
      next = with_buffer(next.to<Block>(), read.from->name, read.to, Side::kReads);
  if (chooses(axis)) {
    made.room = with_room(request.program, block, made.axis, made.extent);
    next =
        with_buffer(next.to<Block>(), block.body.to<Store>().buffer->name, made.room, Side::kBoth);
  }
  made.block = next;
  return made;
}

enum class MadeBy : uint8_t { kBlockAlone, kStartToo };

/// Copies the elements that are wanted back into the block's tensor: those that the block made,
/// which may run a part of its axes; or all, where another block starts them.
Stmt crop_nest(Padded const& made, MadeBy by, Program& program) {
  Block const& block = *made.site.block;
  Store const& store = block.body.to<Store>();
  std::vector<IterVar> iters;
  std::vector<Span> box;
  std::vector<arith::Interval> made_of = domains_of(made.site), domains;
  for (size_t i = 0; i < block.iters.size(); ++i) {
    IterVar iter = block.iters[i];
    if (!chooses(iter)) continue;
    iter.kind = IterKind::kSpatial;
    iters.push_back(iter);
    if (by == MadeBy::kStartToo) made_of[i] = {0, *as_int(iter.extent) - 1};
    domains.push_back(made_of[i]);
    box.push_back({int_imm(made_of[i].low), made_of[i].high - made_of[i].low + 1});
  }
  Stmt copy = make<Block>(program.fresh_block(), free_tensor_name(program, block.name + "_crop"),
                          "copy", std::move(iters), Expr(), Stmt(),
                          make<Store>(store.buffer, store.indices, load(made.room, store.indices)));
  return nest_over(copy.to<Block>(), box, {}, {}, program, domains);
}

/// The nest that starts the sums, which goes as far as they do.
Stmt with_longer_start(Stmt const& body, Start const& start, Padded const& made) {
  Block const& block = *start.site.block;
  For const& loop = *start.loop.loop;
  std::vector<IterVar> iters = block.iters;
  iters[start.axis].extent = int_imm(made.extent);
  Stmt next = make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                               block.predicate, block.init, block.body);
  next = with_buffer(next.to<Block>(), written_buffer(start.site)->name, made.room, Side::kBoth);
  return replace_loop(
      body, loop.id,
      make_from<For>(loop.origin, loop.id, loop.var, int_imm(made.extent), loop.loop_kind,
                     replace_block(loop.body, block.id, next), loop.bind));
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Padded made = padded(request);
  BlockId id = made.site.block->id;
  For const& loop = *request.loops[0].loop;
  std::vector<Stmt> before;
  if (made.reads)
    for (PaddedRead const& read : *made.reads) before.push_back(pad_nest(read, applied.program));
  auto start = made.room ? start_of(request, made.site, made.axis) : std::nullopt;
  MadeBy by = start ? MadeBy::kStartToo : MadeBy::kBlockAlone;
  Stmt after = made.room ? crop_nest(made, by, applied.program) : Stmt();
  Stmt longer = make_from<For>(loop.origin, loop.id, loop.var, int_imm(made.extent), loop.loop_kind,
                               replace_block(loop.body, id, made.block), loop.bind);
  Stmt body = replace_loop(request.program.body, loop.id, longer);
  if (!before.empty()) body = insert_before(body, seq(before), {id});
  std::vector<BlockId> writers{id};
  if (start) {
    body = with_longer_start(body, *start, made);
    writers.push_back(start->site.block->id);
  }
  if (after) body = insert_after(body, after, writers);
  if (made.reads)
    for (PaddedRead const& read : *made.reads) body = make<Alloc>(read.to, body);
  applied.program.body = made.room ? make<Alloc>(made.room, body) : body;
  return applied;
}

/// Of an axis whose iterations write elements of their own: they go to a larger tensor.
std::expected<void, Refusal> output_can_grow(StepRequest const& request, BlockSite const& site,
                                             size_t number) {
  IterVar const& axis = site.block->iters[number];
  std::string tensor = written_buffer(site)->name;
  Store const& store = site.block->body.to<Store>();
  std::optional<Start> start = start_of(request, site, number);
  if (auto alone = only_writer(request.program, site, kVerb); !alone && !start) return alone;
  if (std::ranges::none_of(store.indices,
                           [&](Expr const& e) { return uses_variable(e, axis.name()); }))
    return refuse("axis_not_stored",
                  fmt::format("{} does not index an element of {}", axis.name(), tensor),
                  "pad: further iterations must write elements of their own", request.loops);
  std::vector<BlockSite> readers = readers_of(request.program, tensor);
  bool inside = std::ranges::any_of(readers, [&](BlockSite const& reader) {
    if (reader.block->id == site.block->id) return false;
    bool between = start && !come_before(request.program, {site, start->site}, {reader});
    return between || shared_loops(reader.loops, site.loops) > 0;
  });
  if (inside || !lives_at_top(request.program, tensor))
    return refuse_stage("read_in_its_nest",
                        fmt::format("what {} writes is needed before its nest ends: pad before "
                                    "moving blocks together",
                                    site.block->name),
                        "pad: the block's tensor may only be read after its nest");
  if (!constant_shape(*written_buffer(site)))
    return refuse_stage("not_one_tensor", fmt::format("the shape of {} is not known", tensor),
                        "pad: the block must write one tensor of a constant shape");
  return {};
}

std::expected<BlockSite, Refusal> only_block(StepRequest const& request) {
  LoopSite const& loop = request.loops[0];
  std::string name = reference_of(request.program, loop.loop->id);
  std::vector<BlockSite> blocks = blocks_under(loop);
  if (blocks.size() != 1 || is_hint(*blocks[0].block))
    return refuse("not_one_block", fmt::format("{} blocks are inside {}", blocks.size(), name),
                  kCondition, {loop});
  BlockSite site;
  for (BlockSite const& one : blocks_of(request.program.body))
    if (one.block->id == blocks[0].block->id) site = one;
  auto axis = axis_of(*site.block, *loop.loop);
  if (!axis || site.block->iters[*axis].kind == IterKind::kOrdered)
    return refuse("not_a_whole_axis",
                  fmt::format("{} is not a whole axis of {}", name, site.block->name), kCondition,
                  {loop});
  bool start_reads = false;
  if (site.block->init)
    walk_exprs(site.block->init, [&](Expr const& e) {
      return start_reads = start_reads || e.as<Load>(), !start_reads;
    });
  if (!written_buffer(site) || start_reads || !can_grow(site, *axis))
    return refuse_stage(
        "not_a_simple_block",
        fmt::format("block {} is neither complete nor a sum or recurrence", site.block->name),
        "pad: the order of the block's instances must be free");
  return site;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  LoopSite const& loop = request.loops[0];
  auto extent = plain_loop(request.program, loop, kVerb);
  if (!extent) return std::unexpected(extent.error());
  if (*extent % request.number("to") == 0)
    return refuse(
        "already_a_multiple",
        fmt::format("{} has {} iterations, a multiple of {}",
                    reference_of(request.program, loop.loop->id), *extent, request.number("to")),
        "pad: the extent must not be a multiple of 'to'", {loop});
  auto site = only_block(request);
  if (!site) return std::unexpected(site.error());
  size_t axis = *axis_of(*site->block, *loop.loop);
  if (chooses(site->block->iters[axis]))
    if (auto grows = output_can_grow(request, *site, axis); !grows)
      return std::unexpected(grows.error());
  Padded made = padded(request);
  BlockSite longer{&made.block.to<Block>(), site->loops};
  if (!can_grow(longer, made.axis))
    return refuse(
        "elements_would_meet",
        fmt::format("further iterations of {} would write elements of {} that others "
                    "write",
                    reference_of(request.program, loop.loop->id), written_buffer(*site)->name),
        "pad: further iterations must write elements of their own", {loop});
  return Proof{made.reads ? "further iterations compute with padding"
                          : "further iterations compute nothing"};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "pad",
      .key = "Shift+P",
      .title = "Pad an axis to a multiple",
      .doc =
          "Enlarges an axis, so that a factor divides it. Tensors that the block reads are copied "
          "with padding first, zeros for a sum of products; where padding alone is not enough, the "
          "block selects by the axis. Its output goes to a larger tensor, from which the wanted "
          "part is copied; a nest that initializes its sums grows with it.",
      .rewrite =
          "for k in 14: C[i] += A[i, k] * B[k]  -- to=16 -->  A_pad = A, zero behind; B_pad = B, "
          "zero behind; for k in 16: C[i] += A_pad[i, k] * B_pad[k]",
      .refused = "cannot be padded",
      .parameters =
          {{.name = "to", .doc = "the number that divides the new extent", .low = 2, .high = 4096}},
      .check = check,
      .apply = apply,
      .looks_into_blocks = true,
      .refuses = {"already_a_multiple", "axis_not_stored", "elements_would_meet", "extent_unknown",
                  "loop_annotated", "not_a_simple_block", "not_a_whole_axis", "not_one_block",
                  "not_one_tensor", "not_only_blocks", "opaque_block", "read_in_its_nest",
                  "several_writers"},
  };
  return primitive;
}

}  // namespace tw::primitive_pad
