#include "targets/cuda/compiler/matrix_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "targets/cuda/compiler/warpgroup_tiles.h"
#include "targets/shared/gpu/sum_parts.h"

namespace tw::cuda {
namespace {

/// Pieces of 16 bytes change places in their rows, so that what a warp takes at once, and what it
/// copies, is in different banks: rows of terms by what tells the eight that ldmatrix takes from
/// each other, and neighbours; others by what tells the threads of a group.
std::string map_of(Tiles const& tiles, size_t factor) {
  Factor const& one = tiles.factors[factor];
  std::string row = one.terms_last ? "r" : "k", column = one.terms_last ? "k" : "r", by;
  int64_t across = factor == 0 ? tiles.rows : tiles.columns;
  if (!one.terms_last)
    by = fmt::format("k // {} % 2 * {}", tiles.unit->packed(),
                     std::min<int64_t>(4, across / tiles.piece() / 2));
  else if (factor == 0)
    by = fmt::format("r // {} % 8 ^ r % 2 * 4", tiles.own_rows());
  else
    by = "r // 8 % 4 ^ r % 2 * 4";
  return fmt::format("{0}{1}, {2} -> {0}{1}, ({2} // {3} ^ {4}) * {3} + {2} % {3}",
                     one.batched ? "b, " : "", row, column, tiles.piece(), by);
}

bool bring_factors(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  for (size_t i = 0; i < 2; ++i)
    if (!steps.take(product.made_factors || tiles.pads(i)
                        ? fmt::format("stage_at({}, {}.k0)", tiles.names[i], c)
                        : fmt::format("pack_panels({0}, {0}.k0, tensor={1}, memory=shared)", c,
                                      product.factors[i])))
      return false;
  for (size_t i = 0; i < 2; ++i)
    if (!steps.take(
            fmt::format("transform_layout({}, map=\"{}\")", tiles.names[i], map_of(tiles, i))))
      return false;
  return steps.take(fmt::format("decompose_reduction({}.k0)", c)) &&
         fill_tile(steps, tiles, 0, product.made_factors) &&
         fill_tile(steps, tiles, 1, product.made_factors);
}

/// Tiles of blocks, warps and threads; `last` comes after the product, or nothing does.
bool tile_by_warps(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                   std::string last) {
  std::string const& c = product.block;
  size_t at = product.loops.size() - 3;
  if (!steps.take(fmt::format(fmt::runtime(last.empty() ? "cache_write({}, scope=local)"
                                                        : "set_scope({}, scope=local)"),
                              c)))
    return false;
  if (last.empty()) last = c + "_write";
  if (!steps.take(fmt::format("k0, lane, a = warps_of_product({0}, {1}, {0}.{2}, {0}.{3}, {0}.{4}, "
                              "edge={5}, rows={6}, own_rows={7}, terms={8}, unit={9})",
                              c, last, product.loops[at], product.loops[at + 1],
                              product.loops[at + 2], tiles.rows, tiles.warp_rows(),
                              tiles.own_rows(), tiles.terms(), tiles.unit->terms())))
    return false;
  if (at == 1 && !steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, product.loops[0])))
    return false;
  if (!bring_factors(steps, product, tiles) ||
      !steps.take(fmt::format("tensorize({}.a, intrinsic={})", c, tiles.unit->name)))
    return false;
  if (product.extents[at + 2] > tiles.terms() && !tiles.any_odd() && !product.made_factors)
    steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,1\")", c));
  return true;
}

/// Axes that are no whole tiles get longer: zeros stand behind the factors, and what is made beyond
/// the product is not copied. The blocks that copy the rest are in the order of their reading.
bool pad_axes(gpu::Steps& steps, gpu::Product const& product, Tiles& tiles,
              std::vector<std::string>& crops) {
  std::string const& c = product.block;
  size_t at = product.loops.size() - 3;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!tiles.odd[axis]) continue;
    int64_t to = axis == 2 ? tiles.terms() : axis == 1 ? tiles.columns : tiles.rows;
    if (!steps.take(fmt::format("pad({}.{}, to={})", c, product.loops[at + axis], to)))
      return false;
    if (axis < 2)
      crops.insert(crops.begin(), c + (axis == 1 && tiles.odd[0] ? "_crop_2" : "_crop"));
    for (size_t i = 0; i < 2; ++i)
      if (axis == i || axis == 2) {
        std::string before = tiles.names[i];
        tiles.names[i] = (before.empty() ? product.factors[i] : before) + "_pad";
        if (!before.empty() && !steps.take(fmt::format("compute_inline({})", before))) return false;
      }
  }
  return true;
}

/// Those that come after the product, or after its parts: all but the last are read there.
bool inline_crops(gpu::Steps& steps, std::vector<std::string> const& after) {
  for (size_t i = 0; i + 1 < after.size(); ++i)
    if (!steps.take(fmt::format("compute_inline({})", after[i]))) return false;
  return true;
}

/// Blocks make parts of the sums; those of another launch add them, which is arranged first: most
/// steps take no program with calls.
bool tile_parts(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                std::string const& last) {
  gpu::Product part = product;
  part.block = gpu::make_parts(steps, product.block, product.loops.back(), tiles.parts);
  part.loops.insert(part.loops.begin(), "part");
  part.extents.insert(part.extents.begin(), tiles.parts);
  part.loops.back() = "k";
  part.extents.back() = tiles_in(part.extents.back(), tiles.terms() * tiles.parts) * tiles.terms();
  if (part.block.empty() ||
      !steps.take(fmt::format("reorder({0}.part, {0}.{1}, {0}.{2})", part.block, part.loops[1],
                              part.loops[2])) ||
      !gpu::add_parts(steps, product.block, {product.loops[0], product.loops[1]}, last))
    return false;
  return tiles.warpgroups > 0 ? tile_by_warpgroups(steps, part, tiles, {})
                              : tile_by_warps(steps, part, tiles, "");
}

}  // namespace

void Tiles::fit(int64_t all_rows, int64_t all_columns, int64_t all_terms) {
  odd = {all_rows % rows != 0, all_columns % columns != 0, all_terms % terms() != 0};
}

int64_t tiles_in(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

bool schedule_product(gpu::Steps& steps, gpu::Product const& product, Tiles tiles) {
  for (size_t i = 0; product.made_factors && i < 2; ++i) tiles.names[i] = product.factors[i];
  std::vector<std::string> after;
  if (!pad_axes(steps, product, tiles, after)) return false;
  if (!product.epilogue.empty()) after.push_back(product.epilogue);
  for (size_t i = 0; i < 2; ++i)
    if (tiles.names[i].empty()) tiles.names[i] = product.factors[i] + "_cache";
  if (tiles.warpgroups > 0 && tiles.parts == 1)
    return tile_by_warpgroups(steps, product, tiles, after);
  std::string last = after.empty() ? "" : after.back();
  return inline_crops(steps, after) &&
         (tiles.parts > 1 ? tile_parts(steps, product, tiles, last)
                          : tile_by_warps(steps, product, tiles, last));
}

}  // namespace tw::cuda
