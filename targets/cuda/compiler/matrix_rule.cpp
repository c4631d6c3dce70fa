#include "targets/cuda/compiler/matrix_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/fragment_conv.h"
#include "targets/cuda/compiler/fragment_product.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/implicit_product.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/sum_parts.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int64_t kCopied = 16;     // bytes that one instruction copies, a piece
constexpr int64_t kRowBytes = 64;   // of a tile's terms
constexpr int64_t kMostParts = 32;  // of a sum

/// How a factor lies in main memory.
struct Factor {
  bool terms_last = false;  ///< its rows are of terms
  bool batched = false;     ///< its first dimension is the product's batch
};

struct Tiles {
  MatrixUnit const* unit = nullptr;
  int64_t edge = 64;  ///< rows and columns of a block
  Factor factors[2];
  std::string names[2] = {};  ///< of the blocks that bring the factors
  int64_t parts = 1;          ///< that other blocks make of each sum, and another launch adds
  /// Rows, columns and terms are no whole tiles, each.
  std::array<bool, 3> odd = {};
  bool pads(size_t factor) const { return odd[factor] || odd[2]; }
  bool any_odd() const { return odd[0] || odd[1] || odd[2]; }
  int64_t terms() const { return kRowBytes / size_of(unit->factor); }
  int64_t warp_rows() const { return edge / 2; }
  int64_t own_rows() const { return warp_rows() / 8; }
  int64_t warps() const { return 2 * edge / kColumns; }
  int64_t piece() const { return kCopied / size_of(unit->factor); }  ///< elements
  static constexpr int64_t kColumns = 32;                            ///< of a warp
};

/// The unit whose types the product has. None that rounds its factors: who wants it asks for it.
MatrixUnit const* unit_of(Block const& block) {
  auto const* store = block.body.as<Store>();
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  if (!store || reads.size() != 2) return nullptr;
  for (MatrixUnit const& unit : kMatrixUnits)
    if (!unit.rounded && store->buffer->type == unit.sum && reads[0]->type == unit.factor &&
        reads[1]->type == unit.factor)
      return &unit;
  return nullptr;
}

/// Nothing: its last two dimensions are others than rows, or columns, and terms.
std::optional<Factor> factor_of(Load const& read, gpu::Product const& product, Block const& block) {
  size_t rank = read.indices.size(), loops = product.loops.size();
  if (rank < 2 || rank > loops - 1) return std::nullopt;
  std::string const& term = block.iters[loops - 1].name();
  Factor factor{.terms_last = uses_variable(read.indices.back(), term), .batched = rank == 3};
  if (!factor.terms_last && !uses_variable(read.indices[rank - 2], term)) return std::nullopt;
  if (factor.batched && !uses_variable(read.indices[0], block.iters[0].name())) return std::nullopt;
  return factor;
}

std::optional<Tiles> tiles_for(Program const& program, gpu::Product const& product,
                               Target const& target, Decisions& decisions) {
  std::vector<BlockSite> const sites = blocks_of(program.body);
  Block const& block = *sites.front().block;
  Tiles tiles{.unit = unit_of(block)};
  if (!tiles.unit) return std::nullopt;
  std::vector<Load const*> reads = gpu::multiplied_reads(block);
  for (size_t i = 0; i < 2; ++i) {
    auto factor = factor_of(*reads[i], product, block);
    if (!factor) return std::nullopt;
    tiles.factors[i] = *factor;
  }
  size_t at = product.loops.size() - 3;
  int64_t rows = product.extents[at], columns = product.extents[at + 1];
  std::vector<int64_t> edges{64, 128};
  std::erase_if(edges, [&](int64_t edge) { return rows % edge != 0 || columns % edge != 0; });
  if (edges.empty()) edges = {64};
  tiles.odd = {rows % edges.back() != 0, columns % edges.back() != 0,
               product.extents[at + 2] % tiles.terms() != 0};
  // Smaller tiles where larger ones leave multiprocessors without any.
  int64_t blocks = rows * columns / (edges.back() * edges.back());
  if (at == 1) blocks *= product.extents[0];
  bool fill = blocks >= target.hardware.unit().count;
  tiles.edge =
      decisions.choose(product.block + ".tile", edges, fill ? edges.back() : edges.front());
  return tiles;
}

/// Pieces of 16 bytes change places in their rows, so that what a warp takes at once, and what it
/// copies, is in different banks: rows of terms by what tells the eight that ldmatrix takes from
/// each other, and neighbours; others by what tells the threads of a group.
std::string map_of(Tiles const& tiles, size_t factor) {
  Factor const& one = tiles.factors[factor];
  std::string row = one.terms_last ? "r" : "k", column = one.terms_last ? "k" : "r", by;
  if (!one.terms_last)
    by = fmt::format("k // {} % 2 * {}", tiles.unit->packed(),
                     std::min<int64_t>(4, tiles.edge / tiles.piece() / 2));
  else if (factor == 0)
    by = fmt::format("r // {} % 8 ^ r % 2 * 4", tiles.own_rows());
  else
    by = "r // 8 % 4 ^ r % 2 * 4";
  return fmt::format("{0}{1}, {2} -> {0}{1}, ({2} // {3} ^ {4}) * {3} + {2} % {3}",
                     one.batched ? "b, " : "", row, column, tiles.piece(), by);
}

/// All threads bring a tile, by copies that go on meanwhile where its rows are whole and, of a
/// factor that is `made`, lie side by side.
bool fill(gpu::Steps& steps, Tiles const& tiles, size_t factor, bool made) {
  std::string const& block = tiles.names[factor];
  std::vector<std::string> loops = steps.loops_below(block, "k0");
  if (loops.size() < 2) return false;
  std::string const &row = loops[loops.size() - 2], &column = loops.back();
  if (!tiles.pads(factor)) {
    bool copied = steps.take(
        fmt::format("fill_by_threads({}, {}, {}, copy=copy_async_16_{}, elements={}, y={})", block,
                    row, column, to_text(tiles.unit->factor), tiles.piece(), tiles.warps()));
    if (copied || !made) return copied;
  }
  return steps.take(
      fmt::format("share_among_threads({}, {}, {}, y={})", block, row, column, tiles.warps()));
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
         fill(steps, tiles, 0, product.made_factors) && fill(steps, tiles, 1, product.made_factors);
}

/// Axes that are no whole tiles get longer: zeros stand behind the factors, and what is made beyond
/// the product is not copied. False: one cannot. `last`: of what comes after the product.
bool pad_axes(gpu::Steps& steps, gpu::Product const& product, Tiles& tiles, std::string& last) {
  std::string const& c = product.block;
  size_t at = product.loops.size() - 3;
  std::string crops[2];
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!tiles.odd[axis]) continue;
    int64_t to = axis == 2 ? tiles.terms() : tiles.edge;
    if (!steps.take(fmt::format("pad({}.{}, to={})", c, product.loops[at + axis], to)))
      return false;
    if (axis < 2) crops[axis] = c + (axis == 1 && tiles.odd[0] ? "_crop_2" : "_crop");
    for (size_t i = 0; i < 2; ++i)
      if (axis == i || axis == 2) {
        std::string before = tiles.names[i];
        tiles.names[i] = (before.empty() ? product.factors[i] : before) + "_pad";
        if (!before.empty() && !steps.take(fmt::format("compute_inline({})", before))) return false;
      }
  }
  // The elements that are wanted: copied at once, or read by what comes after.
  std::vector<std::string> made;
  for (size_t axis : {1, 0})
    if (!crops[axis].empty()) made.push_back(crops[axis]);
  for (size_t i = 0; i < made.size(); ++i)
    if (!product.epilogue.empty() || i + 1 < made.size())
      if (!steps.take(fmt::format("compute_inline({})", made[i]))) return false;
  if (product.epilogue.empty() && !made.empty()) last = made.back();
  return true;
}

/// Tiles of blocks, warps and threads; `last` comes after the product, or nothing does.
bool tile_product(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
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
                              product.loops[at + 2], tiles.edge, tiles.warp_rows(),
                              tiles.own_rows(), tiles.terms(), tiles.unit->terms())))
    return false;
  if (at == 1 && !steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, product.loops[0])))
    return false;
  return bring_factors(steps, product, tiles) &&
         steps.take(fmt::format("tensorize({}.a, intrinsic={})", c, tiles.unit->name));
}

/// Blocks make parts of the sums; those of another launch add them, which is arranged first: most
/// steps take no program with calls.
bool tile_parts(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                std::string const& last) {
  gpu::Product part = product;
  part.block = gpu::make_parts(steps, product.block, product.loops.back(), tiles.parts);
  part.loops.insert(part.loops.begin(), "part");
  part.loops.back() = "k";
  return !part.block.empty() &&
         steps.take(fmt::format("reorder({0}.part, {0}.{1}, {0}.{2})", part.block, part.loops[1],
                                part.loops[2])) &&
         gpu::add_parts(steps, product.block, {product.loops[0], product.loops[1]}, last) &&
         tile_product(steps, part, tiles, "");
}

bool schedule_product(gpu::Steps& steps, gpu::Product const& product, Tiles tiles) {
  std::string last = product.epilogue;
  for (size_t i = 0; product.made_factors && i < 2; ++i) tiles.names[i] = product.factors[i];
  if (!pad_axes(steps, product, tiles, last)) return false;
  for (size_t i = 0; i < 2; ++i)
    if (tiles.names[i].empty()) tiles.names[i] = product.factors[i] + "_cache";
  return tiles.parts > 1 ? tile_parts(steps, product, tiles, last)
                         : tile_product(steps, product, tiles, last);
}

/// What is left open of a convolution by matrix units.
struct ConvChoice {
  int64_t edge = 64, parts = 1;
  gpu::TermOrder order = gpu::TermOrder::kChannelsFirst;
};

/// How many whole tiles there are of so many.
int64_t tiles_in(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

/// Into how many parts the terms may be cut: whole tiles of them.
std::vector<int64_t> part_choices(int64_t terms, MatrixUnit const& unit) {
  int64_t count = tiles_in(terms, kRowBytes / size_of(unit.factor));
  std::vector<int64_t> parts;
  for (int64_t n = 1; n <= std::min(kMostParts, count); ++n)
    if (count % n == 0) parts.push_back(n);
  return parts;
}

/// Tiles of each size in each order of terms; sums whole, and in so many parts that each
/// multiprocessor has a block, and two.
std::vector<ConvChoice> conv_choices(gpu::Convolution const& conv, MatrixUnit const& unit,
                                     Target const& target) {
  std::vector<ConvChoice> all;
  gpu::ConvShape const& shape = conv.shape;
  std::vector<int64_t> const parts = part_choices(conv.loops.terms, unit);
  for (int64_t edge : {64, 128})
    for (gpu::TermOrder order : {gpu::TermOrder::kChannelsFirst, gpu::TermOrder::kWindowFirst}) {
      if (order == gpu::TermOrder::kWindowFirst && conv.loops.reduce.size() == 1) continue;
      int64_t blocks = tiles_in(shape.channels, edge) *
                       tiles_in(shape.pictures * shape.rows * shape.columns, edge);
      all.push_back({edge, 1, order});
      for (int64_t wanted : {1, 2}) {
        auto enough = std::ranges::find_if(
            parts, [&](int64_t n) { return blocks * n >= wanted * target.hardware.unit().count; });
        int64_t count = enough == parts.end() ? parts.back() : *enough;
        if (count > all.back().parts) all.push_back({edge, count, order});
      }
    }
  return all;
}

std::optional<Schedule> conv_as_product(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        gpu::Convolution const& conv, MatrixUnit const& unit,
                                        ConvChoice const& choice, ProofBudget budget) {
  gpu::Steps steps(Schedule(program, std::move(target)), budget);
  auto product = gpu::as_product(steps, conv, choice.order);
  if (!product) return std::nullopt;
  Tiles tiles{.unit = &unit,
              .edge = choice.edge,
              .factors = {{.terms_last = true}, {.terms_last = false}},
              .parts = choice.parts};
  tiles.odd = {product->extents[0] % choice.edge != 0, product->extents[1] % choice.edge != 0,
               product->extents[2] % tiles.terms() != 0};
  if (!schedule_product(steps, *product, tiles)) return std::nullopt;
  return steps.schedule();
}

std::optional<Schedule> conv_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, gpu::Judge const& judge) {
  auto conv = gpu::convolution_of(program);
  if (!conv) return std::nullopt;
  MatrixUnit const* unit = unit_of(*find_block(program, conv->block)->block);
  if (!unit) return std::nullopt;
  if (auto made = fragment_conv(program, target, *conv, *unit, decisions, judge)) return made;
  std::vector<ConvChoice> all = conv_choices(*conv, *unit, *target);
  auto fastest = judge.fastest("convolution as a product", program, all.size(), [&](size_t i) {
    // Without proofs: the one that is taken is proven.
    return conv_as_product(program, target, *conv, *unit, all[i], ProofBudget::kTrusted);
  });
  ConvChoice choice = all[fastest.value_or(0)];
  choice.edge = decisions.choose(conv->block + ".tile", {64, 128}, choice.edge);
  choice.parts = decisions.choose(conv->block + ".parts", part_choices(conv->loops.terms, *unit),
                                  choice.parts);
  return conv_as_product(program, std::move(target), *conv, *unit, choice, decisions.budget());
}

}  // namespace

std::optional<Schedule> matrix_schedule(Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions,
                                        gpu::Judge const& judge) {
  auto product = gpu::product_of(program);
  if (!product) return conv_schedule(program, std::move(target), decisions, judge);
  // Where a warpgroup may multiply, that would be the better choice.
  MatrixUnit const* unit = unit_of(*find_block(program, product->block)->block);
  bool of_warps = !target->intrinsic("wgmma_f16_n64");
  if (auto made = unit && of_warps
                      ? fragment_product(program, target, *product, *unit, decisions, judge)
                      : std::nullopt)
    return made;
  auto tiles = tiles_for(program, *product, *target, decisions);
  if (!tiles) return std::nullopt;
  gpu::Steps steps(Schedule(program, std::move(target)), decisions.budget());
  if (!schedule_product(steps, *product, *tiles)) return std::nullopt;
  size_t at = product->loops.size() - 1;
  if (product->extents[at] > tiles->terms() && !tiles->any_odd())
    steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,1\")", product->block));
  return steps.schedule();
}

}  // namespace tw::cuda
