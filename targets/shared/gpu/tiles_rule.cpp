#include "targets/shared/gpu/tiles_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kMostEdge = 8;   // of a tile that registers hold
constexpr int64_t kThreads = 128;  // of a block

/// A program of transformed tiles.
struct Transform {
  std::string before, half;        ///< blocks; `before` may be empty
  std::vector<std::string> after;  ///< the last one has the results
  size_t own = 0;                  ///< the result's loop that counts places or rows of a tile
  int64_t edge = 0;                ///< of tiles of results; 0: `own` counts places
};

int64_t extent_of(BufferNode const& buffer, size_t dim) {
  return dim < buffer.shape.size() ? as_int(buffer.shape[dim]).value_or(0) : 0;
}

bool is_small(BufferNode const& buffer) {
  return buffer.shape.size() > 2 && extent_of(buffer, 0) <= kMostEdge &&
         extent_of(buffer, 1) <= kMostEdge;
}

/// Reads of a tensor of small tiles at known places of their second dimension.
std::vector<Load const*> reads_of_tiles(Block const& block) {
  std::vector<Load const*> reads;
  auto const* store = block.body.as<Store>();
  if (!store || block.init) return reads;
  walk(store->value, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && is_small(*read->buffer) && as_int(read->indices[1])) reads.push_back(read);
    return true;
  });
  return reads;
}

/// From which of the block's loops the tile's row follows, and how.
bool find_own(BlockSite const& site, Expr const& row, Transform& transform) {
  auto const* taken = row.as<Binary>();
  auto const* from = taken ? taken->a.as<Variable>() : nullptr;
  bool places = taken && taken->op == BinaryOp::kFloorDiv;
  if (!from || (!places && taken->op != BinaryOp::kFloorMod)) return false;
  size_t at = 0, count = site.block->iters.size();
  while (at < count && site.block->iters[at].name() != from->name) ++at;
  transform.own = at;
  transform.edge = places ? 0 : as_int(taken->b).value_or(0);
  return places ? at == 0 && count > 1 : transform.edge > 1 && at + 2 == count && count > 2;
}

std::optional<Transform> transform_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  for (BlockSite const& site : blocks) {
    auto loops = stage_loops(site);
    if (!loops || !loops->reduce.empty() || site.block->init) return std::nullopt;
  }
  Transform transform;
  for (size_t i = 1; i < blocks.size() && i <= 2; ++i) {
    std::vector<Load const*> reads = reads_of_tiles(*blocks[i].block);
    auto const* half = blocks[i - 1].block->body.as<Store>();
    if (reads.size() < 2 || !half || reads[0]->buffer->name != half->buffer->name ||
        !find_own(blocks[i], reads[0]->indices[0], transform))
      continue;
    if (i == 2) transform.before = blocks[0].block->name;
    transform.half = blocks[i - 1].block->name;
    for (; i < blocks.size(); ++i) transform.after.push_back(blocks[i].block->name);
    return transform;
  }
  return std::nullopt;
}

/// What a thread makes goes inside; the loop over all tiles.
std::string loop_of_tiles(Steps& steps, Transform const& transform,
                          std::vector<std::string>& inside) {
  std::string const& block = transform.after.back();
  auto site = find_block(steps.schedule().program(), block);
  auto loops = site ? stage_loops(*site) : std::nullopt;
  if (!loops || loops->spatial.size() <= transform.own) return {};
  std::vector<std::string> tiles;
  for (std::string const& loop : loops->spatial) tiles.push_back(block + "." + loop);
  if (transform.edge == 0) {
    inside = {tiles[0]};
    tiles.erase(tiles.begin());
    if (!steps.take(fmt::format("reorder({}, {})", fmt::join(tiles, ", "), inside[0]))) return {};
  } else {
    std::string y = tiles[tiles.size() - 2], x = tiles.back();
    if (!steps.take(
            fmt::format("ty, tx, iy, ix = tile({0}, {1}, outer_factor={2}, inner_factor={2})", y, x,
                        transform.edge)))
      return {};
    inside = {block + ".iy", block + ".ix"};
    tiles[tiles.size() - 2] = block + ".ty";
    tiles.back() = block + ".tx";
  }
  return steps.fuse_all(block, tiles, "all");
}

/// The loops of tiles are written out, so that registers hold what they make.
bool unroll(Steps& steps, std::string const& block, std::string const& thread) {
  for (std::string const& loop : steps.loops_below(block, thread))
    if (!steps.take(fmt::format("unroll({})", loop))) return false;
  return true;
}

bool schedule_tiles(Steps& steps, Transform const& transform, int64_t threads) {
  std::string const& block = transform.after.back();
  for (size_t i = 0; i + 1 < transform.after.size(); ++i)
    if (!steps.take(fmt::format("compute_inline({})", transform.after[i]))) return false;
  std::vector<std::string> stages{transform.half}, inside;
  if (!transform.before.empty()) stages.push_back(transform.before);
  for (std::string const& stage : stages)
    if (!steps.take(fmt::format("set_scope({}, scope=local)", stage))) return false;
  std::string all = loop_of_tiles(steps, transform, inside);
  if (all.empty()) return false;
  auto loop = find_loop(steps.schedule().program(), all);
  if (!loop) return false;
  bool several = as_int(loop->loop->extent).value_or(0) > threads;
  std::string thread = all.substr(block.size() + 1);
  if (several) {
    if (!steps.take_all({fmt::format("b, tile = split({}, factor={})", all, threads),
                         fmt::format("bind({}.b, axis=blockIdx.x)", block)}))
      return false;
    thread = "tile";
  }
  if (!steps.take(fmt::format("bind({}.{}, axis=threadIdx.x)", block, thread))) return false;
  for (std::string const& stage : stages)
    if (!steps.take(fmt::format("compute_at({}, {}.{})", stage, block, thread))) return false;
  for (std::string const& stage : stages)
    if (!unroll(steps, stage, thread)) return false;
  return std::ranges::all_of(
      inside, [&](std::string const& own) { return steps.take(fmt::format("unroll({})", own)); });
}

}  // namespace

std::optional<Schedule> tiles_schedule(Program const& program, std::shared_ptr<Target const> target,
                                       Decisions& decisions, Judge const& judge) {
  auto transform = transform_of(program);
  if (!transform) return std::nullopt;
  std::vector<int64_t> choices = up_to({64, 128, 256}, target->threads_per_block);
  if (choices.empty()) return std::nullopt;
  auto fastest =
      judge.fastest("tiles", program, choices.size(), [&](size_t i) -> std::optional<Schedule> {
        Steps steps(Schedule(program, target), ProofBudget::kTrusted);
        if (!schedule_tiles(steps, *transform, choices[i])) return std::nullopt;
        return steps.schedule();
      });
  int64_t threads = choose_up_to(decisions, transform->after.back() + ".threads", choices,
                                 fastest ? choices[*fastest] : kThreads);
  Steps steps(Schedule(program, target), decisions.budget());
  if (!schedule_tiles(steps, *transform, threads)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
