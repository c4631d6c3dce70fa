#include "targets/cuda/compiler/matrix_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int64_t kCopied = 16;    // bytes that one instruction copies
constexpr int64_t kRowBytes = 64;  // of a tile's terms

struct Tiles {
  MatrixUnit const* unit = nullptr;
  int64_t edge = 64;        ///< rows and columns of a block
  bool terms_last[2] = {};  ///< in rows of each factor
  int64_t terms() const { return kRowBytes / size_of(unit->factor); }
  int64_t warp_rows() const { return edge / 2; }
  int64_t warps() const { return 2 * edge / kColumns; }
  static constexpr int64_t kColumns = 32;  ///< of a warp
};

/// The unit whose types the product has.
MatrixUnit const* unit_of(Block const& block) {
  auto const* store = block.body.as<Store>();
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  if (!store || reads.size() != 2) return nullptr;
  for (MatrixUnit const& unit : kMatrixUnits)
    if (store->buffer->type == unit.sum && reads[0]->type == unit.factor &&
        reads[1]->type == unit.factor)
      return &unit;
  return nullptr;
}

std::optional<Tiles> tiles_for(Program const& program, gpu::Product const& product,
                               Target const& target, Decisions& decisions) {
  std::vector<BlockSite> const sites = blocks_of(program.body);
  Block const& block = *sites.front().block;
  Tiles tiles{.unit = unit_of(block)};
  if (!tiles.unit) return std::nullopt;
  std::string const& term = block.iters.back().name();
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  for (size_t i = 0; i < 2; ++i)
    tiles.terms_last[i] = uses_variable(reads[i]->indices.back(), term);
  size_t at = product.loops.size() - 3;
  int64_t rows = product.extents[at], columns = product.extents[at + 1];
  std::vector<int64_t> edges{64, 128};
  std::erase_if(edges, [&](int64_t edge) { return rows % edge != 0 || columns % edge != 0; });
  if (edges.empty() || product.extents[at + 2] % tiles.terms() != 0) return std::nullopt;
  // Smaller tiles where larger ones leave multiprocessors without any.
  int64_t blocks = rows * columns / (edges.back() * edges.back());
  bool fill = blocks >= target.hardware.unit().count;
  tiles.edge =
      decisions.choose(product.block + ".tile", edges, fill ? edges.back() : edges.front());
  return tiles;
}

/// Rows are as much longer as one copy is: then warps read them without bank conflicts.
bool align(gpu::Steps& steps, std::string const& tensor, int64_t row, Tiles const& tiles) {
  return steps.take(fmt::format("storage_align({}_cache, dim=0, factor={}, offset={})", tensor, row,
                                kCopied / size_of(tiles.unit->factor)));
}

/// All threads bring a tile by copies that go on meanwhile.
bool fill(gpu::Steps& steps, std::string const& tensor, std::string const& p, Tiles const& tiles) {
  std::string block = tensor + "_cache";
  std::vector<std::string> loops = steps.loops_below(block, "k0");
  if (loops.size() != 2) return false;
  return steps.take_all(
      {fmt::format("{0}c, {0}w = split({1}, factor={2})", p, loops[1],
                   kCopied / size_of(tiles.unit->factor)),
       fmt::format("{0} = fuse({1}, {2}.{0}c)", p, loops[0], block),
       fmt::format("{0}r, {0}x = split({1}.{0}, factor={2})", p, block, kWarpThreads),
       fmt::format("{0}n, {0}y = split({1}.{0}r, factor={2})", p, block, tiles.warps()),
       fmt::format("bind({}.{}y, axis=threadIdx.y)", block, p),
       fmt::format("bind({}.{}x, axis=threadIdx.x)", block, p),
       fmt::format("tensorize({}.{}w, intrinsic=copy_async_16_{})", block, p,
                   to_text(tiles.unit->factor))});
}

/// Blocks, warps and threads, the last ones with 2 x 2 sums of an instruction innermost.
std::vector<std::string> tiling(gpu::Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  size_t at = product.loops.size() - 3;
  bool several = tiles.terms() > tiles.unit->terms();
  std::vector<std::string> steps{
      fmt::format("by, bx, i1, j1 = tile({0}.{1}, {0}.{2}, outer_factor={3}, inner_factor={3})", c,
                  product.loops[at], product.loops[at + 1], tiles.edge),
      fmt::format("wy, wx, i2, j2 = tile({0}.i1, {0}.j1, outer_factor={1}, inner_factor={2})", c,
                  tiles.warp_rows(), Tiles::kColumns),
      fmt::format("g, t, i3, j3 = tile({0}.i2, {0}.j2, outer_factor={1}, inner_factor=8)", c,
                  tiles.warp_rows() / 8),
      fmt::format("m, n, a, b = tile({0}.i3, {0}.j3, outer_factor=2, inner_factor=2)", c),
      fmt::format("k0, k1 = split({}.{}, factor={})", c, product.loops[at + 2], tiles.terms())};
  if (several)
    steps.push_back(fmt::format("k2, k3 = split({}.k1, factor={})", c, tiles.unit->terms()));
  std::string outer = several ? c + ".k0, " + c + ".k2" : c + ".k0";
  steps.push_back(fmt::format("reorder({1}, {0}.m, {0}.n, {0}.a, {0}.b, {0}.{2})", c, outer,
                              several ? "k3" : "k1"));
  steps.push_back(fmt::format("w = fuse({0}.wy, {0}.wx)", c));
  steps.push_back(fmt::format("lane = fuse({0}.g, {0}.t)", c));
  return steps;
}

bool schedule_product(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  bool alone = product.epilogue.empty();
  auto take = [&](std::string const& pattern) {
    return steps.take(fmt::format(fmt::runtime(pattern), c));
  };
  if (!take(alone ? "cache_write({}, scope=local)" : "set_scope({}, scope=local)") ||
      !steps.take_all(tiling(product, tiles)) ||
      !steps.take(fmt::format("reverse_compute_at({}, {}.lane)",
                              alone ? c + "_write" : product.epilogue, c)))
    return false;
  for (char const* bound : {"bind({}.by, axis=blockIdx.y)", "bind({}.bx, axis=blockIdx.x)",
                            "bind({}.w, axis=threadIdx.y)", "bind({}.lane, axis=threadIdx.x)"})
    if (!take(bound)) return false;
  for (std::string const& factor : product.factors)
    if (!steps.take(fmt::format("cache_read({}, tensor={}, scope=shared)", c, factor)))
      return false;
  for (std::string const& factor : product.factors)
    if (!steps.take(fmt::format("compute_at({}_cache, {}.k0)", factor, c))) return false;
  for (size_t i = 0; i < 2; ++i)
    if (!align(steps, product.factors[i], tiles.terms_last[i] ? tiles.terms() : tiles.edge, tiles))
      return false;
  return take("decompose_reduction({}.k0)") && fill(steps, product.factors[0], "p", tiles) &&
         fill(steps, product.factors[1], "q", tiles) &&
         steps.take(fmt::format("tensorize({}.a, intrinsic={})", c, tiles.unit->name));
}

}  // namespace

std::optional<Schedule> matrix_schedule(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        Decisions& decisions) {
  auto product = gpu::product_of(program);
  if (!product || product->loops.size() == 4) return std::nullopt;
  auto tiles = tiles_for(program, *product, *target, decisions);
  if (!tiles) return std::nullopt;
  gpu::Steps steps(Schedule(program, std::move(target)));
  if (!schedule_product(steps, *product, *tiles)) return std::nullopt;
  size_t at = product->loops.size() - 1;
  if (product->extents[at] > tiles->terms())
    steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,1\")", product->block));
  return steps.schedule();
}

}  // namespace tw::cuda
