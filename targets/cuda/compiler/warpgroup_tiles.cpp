#include "targets/cuda/compiler/warpgroup_tiles.h"

#include <fmt/format.h>

#include "engine/schedule/names.h"
#include "targets/cuda/compiler/warpgroup_units.h"

namespace tw::cuda {
namespace {

constexpr int64_t kMostStages = 3;  // tiles in shared memory: two come while one is multiplied

WarpgroupUnit const* unit_of(Tiles const& tiles) {
  for (WarpgroupUnit const& unit : warpgroup_units())
    if (!unit.rounded && unit.factor == tiles.unit->factor && unit.sum == tiles.unit->sum &&
        unit.columns == tiles.columns)
      return &unit;
  return nullptr;
}

/// Pieces of eight rows of 16 bytes, which are those of main memory, but of bytes those of terms.
bool bring_factors(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  for (size_t i = 0; i < 2; ++i) {
    bool made = product.made_factors || tiles.pads(i), batched = tiles.factors[i].batched;
    std::string line =
        made ? fmt::format("stage_cores({}, {}.k0", tiles.names[i], c)
             : fmt::format("pack_cores({0}, {0}.k0, tensor={1}", c, product.factors[i]);
    std::string layout = tiles.turns(i) ? (batched ? "ABC{}b, dim=1" : "AB{}a")
                                        : (batched ? "ACB{}c, dim=1" : "BA{}b");
    line += ", layout=" + fmt::format(fmt::runtime(layout), tiles.piece());
    if (!steps.take(line + fmt::format(", row={})", tiles.piece()))) return false;
  }
  return steps.take(fmt::format("decompose_reduction({}.k0)", c)) &&
         fill_tile(steps, tiles, 0, product.made_factors) &&
         fill_tile(steps, tiles, 1, product.made_factors);
}

/// Copies behind the products, so that those of one turn are under way while the next ones come.
void make_ring(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  int64_t turns = product.extents.back() / tiles.terms();
  int64_t bytes = (tiles.rows + tiles.columns) * (tiles.terms() + tiles.piece()) *
                  int64_t(size_of(tiles.unit->factor));
  MemoryScope const* shared = steps.schedule().target().scope(kSharedScope);
  std::string const& c = product.block;
  if (turns >= kMostStages && shared && kMostStages * bytes <= shared->bytes &&
      steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,2\", order=\"1,2,0\")", c)))
    return;
  if (turns > 1) steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,1\")", c));
}

bool multiply(gpu::Steps& steps, std::string const& block, WarpgroupUnit const& unit) {
  for (std::string const& one : {block, block + "_last", block + "_last_2"}) {
    if (!find_block(steps.schedule().program(), one)) continue;
    if (!steps.take(fmt::format("multiply_unrolled({0}.k2, {0}.a, intrinsic={1})", one, unit.name)))
      return false;
  }
  return true;
}

/// What writes the sums: two side by side at once; under conditions, all loops written out, so that
/// the sums stay in registers.
void write_sums(gpu::Steps& steps, std::string const& block, bool guarded) {
  std::vector<std::string> loops = steps.loops_below(block, "lane");
  if (loops.empty()) return;
  steps.take(guarded ? fmt::format("unroll({})", loops.front())
                     : fmt::format("vectorize({})", loops.back()));
}

bool merge_after(gpu::Steps& steps, std::vector<std::string> const& after) {
  for (size_t i = 0; i < after.size(); ++i)
    if (!steps.take(
            fmt::format("{}compute_inline({})", i + 1 < after.size() ? "" : "reverse_", after[i])))
      return false;
  return true;
}

}  // namespace

bool fill_tile(gpu::Steps& steps, Tiles const& tiles, size_t factor, bool made) {
  std::string const& block = tiles.names[factor];
  std::vector<std::string> loops = steps.loops_below(block, "k0");
  if (loops.size() < 2) return false;
  std::string const &row = loops[loops.size() - 2], &column = loops.back();
  std::string threads = tiles.threads_x() == 32 ? "" : fmt::format("x={}, ", tiles.threads_x());
  threads += fmt::format("y={}", tiles.threads_y());
  if (!tiles.pads(factor) && !tiles.turns(factor)) {
    bool copied = steps.take(
        fmt::format("fill_by_threads({}, {}, {}, copy=copy_async_16_{}, elements={}, {})", block,
                    row, column, to_text(tiles.unit->factor), tiles.piece(), threads));
    if (copied || !made) return copied;
  }
  return steps.take(
      fmt::format("share_among_threads({}, {}, {}, {})", block, row, column, threads));
}

bool tile_by_warpgroups(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                        std::vector<std::string> const& after) {
  WarpgroupUnit const* unit = unit_of(tiles);
  std::string const& c = product.block;
  size_t at = product.loops.size() - 3;
  if (!unit || at > 1) return false;
  // What writes a convolution's product is called so before.
  std::string last = c + "_write";
  if (find_block(steps.schedule().program(), last)) last += "_2";
  if (!steps.take_all(
          {fmt::format("cache_write({}, scope=local, layout={})", c,
                       at == 1 ? "ABC8b8c" : "AB8a8b"),
           fmt::format("k0, lane, a, k2 = warpgroups_of_product({0}, {8}, {0}.{1}, {0}.{2}, "
                       "{0}.{3}, rows={4}, columns={5}, terms={6}, row={7})",
                       c, product.loops[at], product.loops[at + 1], product.loops[at + 2],
                       tiles.rows, tiles.columns, tiles.terms(), tiles.piece(), last)}) ||
      (at == 1 && !steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, product.loops[0]))) ||
      !merge_after(steps, after) || !bring_factors(steps, product, tiles))
    return false;
  bool copied = !tiles.any_odd() && !tiles.turns(0) && !tiles.turns(1) && !product.made_factors;
  if (copied) make_ring(steps, product, tiles);
  if (!multiply(steps, c, *unit)) return false;
  write_sums(steps, last, !after.empty() && (tiles.odd[0] || tiles.odd[1]));
  return true;
}

}  // namespace tw::cuda
