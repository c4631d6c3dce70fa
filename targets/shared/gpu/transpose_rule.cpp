#include "targets/shared/gpu/transpose_rule.h"

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

constexpr int64_t kSide = 32;       // of a square
constexpr int64_t kRows = 8;        // of threads
constexpr int64_t kLeastSide = 16;  // of the two dimensions

/// A tensor that a stage reads with its neighbours in another dimension than its own.
struct Exchange {
  std::string tensor;
  size_t row = 0;                 ///< the tensor's dimension along which the stage's neighbours lie
  size_t along = 0;               ///< the stage's loop along which the tensor's neighbours lie
  int64_t rows = 0, columns = 0;  ///< of both in the stage: that loop's, its last one's
};

std::optional<size_t> iterator_of(Block const& block, Expr const& index) {
  auto const* used = index.as<Variable>();
  for (size_t i = 0; used && i < block.iters.size(); ++i)
    if (block.iters[i].name() == used->name) return i;
  return std::nullopt;
}

/// Every index is an iterator by itself, each once.
std::optional<Exchange> exchange_of(Block const& block, Load const& read) {
  Exchange found{.tensor = read.buffer->name};
  std::vector<size_t> used;
  std::optional<size_t> row;
  for (size_t d = 0; d < read.indices.size(); ++d) {
    auto iter = iterator_of(block, read.indices[d]);
    if (!iter || std::ranges::find(used, *iter) != used.end()) return std::nullopt;
    used.push_back(*iter);
    if (*iter + 1 == block.iters.size()) row = d;
  }
  if (!row || *row + 1 == read.indices.size()) return std::nullopt;
  found.row = *row;
  found.along = used.back();
  return found;
}

std::optional<Exchange> exchange_of(BlockSite const& site) {
  auto const* store = site.block->body.as<Store>();
  if (!store || site.block->init) return std::nullopt;
  std::optional<Exchange> found;
  walk(store->value, [&](Expr const& e) {
    if (auto const* read = e.as<Load>(); read && !found) found = exchange_of(*site.block, *read);
    return true;
  });
  if (!found) return found;
  found->rows = as_int(site.loops[found->along]->extent).value_or(0);
  found->columns = as_int(site.loops.back()->extent).value_or(0);
  if (std::min(found->rows, found->columns) < kLeastSide) return std::nullopt;
  return found;
}

/// Blocks of squares, and which elements are a thread's.
bool tile_loops(Steps& steps, std::string const& block, StageLoops const& loops,
                Exchange const& exchange, int64_t side) {
  size_t along = exchange.along;
  std::vector<std::string> others, order;
  for (size_t i = 0; i + 1 < loops.spatial.size(); ++i)
    if (i != along) others.push_back(block + "." + loops.spatial[i]);
  order = others;
  for (char const* loop : {"by", "bx", "i1", "j1"}) order.push_back(block + "." + loop);
  if (!steps.take_all({fmt::format("by, bx, i1, j1 = tile({0}.{1}, {0}.{2}, outer_factor={3}, "
                                   "inner_factor={4})",
                                   block, loops.spatial[along], loops.spatial.back(),
                                   std::min(side, exchange.rows), std::min(side, exchange.columns)),
                       fmt::format("reorder({})", fmt::join(order, ", "))}))
    return false;
  std::string outer = steps.fuse_all(block, others, "bz");
  return (outer.empty() ? others.empty()
                        : steps.take(fmt::format("bind({}, axis=blockIdx.z)", outer))) &&
         steps.take_all({fmt::format("bind({}.by, axis=blockIdx.y)", block),
                         fmt::format("bind({}.bx, axis=blockIdx.x)", block),
                         fmt::format("i2, ty = split({}.i1, factor={})", block, kRows),
                         fmt::format("bind({}.ty, axis=threadIdx.y)", block),
                         fmt::format("bind({}.j1, axis=threadIdx.x)", block)});
}

bool schedule_transpose(Steps& steps, std::string const& block, StageLoops const& loops,
                        Exchange const& exchange, int64_t side) {
  std::string copy = exchange.tensor + "_cache";
  if (!tile_loops(steps, block, loops, exchange, side) ||
      !steps.take_all(
          {fmt::format("cache_read({}, tensor={}, scope=shared)", block, exchange.tensor),
           fmt::format("compute_at({}, {}.bx)", copy, block)}))
    return false;
  std::vector<std::string> square = steps.loops_below(copy, "bx");
  return square.size() == 2 &&
         steps.take_all({fmt::format("r, ry = split({}, factor={})", square[0], kRows),
                         fmt::format("bind({}.ry, axis=threadIdx.y)", copy),
                         fmt::format("bind({}, axis=threadIdx.x)", square[1]),
                         fmt::format("storage_align({}, dim={}, factor={}, offset=1)", copy,
                                     exchange.row, side)});
}

}  // namespace

std::optional<Schedule> transpose_schedule(Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions) {
  if (target->threads_per_block < kLeastSide * kRows) return std::nullopt;
  Steps steps(Schedule(program, target), decisions.budget());
  std::vector<BlockSite> blocks = blocks_of(program.body);
  for (size_t i = 0; i + 1 < blocks.size(); ++i)
    if (blocks[i].block->init ||
        !steps.take(fmt::format("compute_inline({})", blocks[i].block->name)))
      return std::nullopt;
  std::vector<BlockSite> last = blocks_of(steps.schedule().program().body);
  auto loops = last.size() == 1 ? stage_loops(last[0]) : std::nullopt;
  auto exchange = loops && loops->reduce.empty() ? exchange_of(last[0]) : std::nullopt;
  if (!exchange) return std::nullopt;
  std::string const block = last[0].block->name;
  int64_t most = std::min<int64_t>(kSide, target->threads_per_block / kRows);
  int64_t side = choose_up_to(decisions, block + ".side", up_to({16, 32}, most), kSide);
  if (!schedule_transpose(steps, block, *loops, *exchange, side)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
