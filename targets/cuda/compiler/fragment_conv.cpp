#include "targets/cuda/compiler/fragment_conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/cuda/compiler/fragment_tiles.h"
#include "targets/shared/gpu/implicit_product.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/sum_parts.h"

namespace tw::cuda {
namespace {

using namespace ir;

constexpr int64_t kFragment = 8;        // rows, and columns
constexpr int64_t kMostRowBytes = 320;  // of a tile's terms
constexpr int64_t kMostParts = 32;      // of a sum
constexpr double kMostLonger = 1.5;     // times the terms of a window

struct Tiles : FragmentTiles {
  int64_t window = 1;  ///< terms of an input channel
  int64_t side = 0;    ///< of a longer window with zeros at its ends; 0: it stays as it is
};

/// So many channels that their terms are whole instructions, and copies of whole pieces; else a
/// channel of a window that is a little longer. Nothing: neither is.
std::optional<Tiles> plain_tiles(gpu::Convolution const& conv, MatrixUnit const& unit) {
  gpu::ConvShape const& shape = conv.shape;
  Tiles tiles;
  tiles.unit = &unit;
  tiles.window = shape.window;
  int64_t bytes = size_of(unit.factor), all = shape.input_channels * shape.window;
  int64_t least = std::lcm(int64_t(unit.terms()), shape.window);
  if (all % least == 0 && least * bytes <= kMostRowBytes) {
    // More of a window of few places: the fewer tiles, the fewer barriers.
    tiles.terms = 4 * least;
    while (tiles.terms > least &&
           (tiles.terms * bytes > kMostRowBytes / 2 || all % tiles.terms != 0))
      tiles.terms /= 2;
    return tiles;
  }
  for (int64_t own = 2; own * own <= shape.window; ++own) {
    int64_t side = int64_t(std::bit_ceil(uint64_t(own))), longer = side * side;
    if (own * own != shape.window || longer > kMostLonger * double(shape.window) ||
        longer % unit.terms() != 0)
      continue;
    tiles.terms = longer;
    tiles.side = side;
    return tiles;
  }
  return std::nullopt;
}

std::vector<int64_t> part_choices(gpu::Convolution const& conv, Tiles const& tiles) {
  std::vector<int64_t> parts;
  if (tiles.side > 0) return {1};
  for (int64_t n = 1; n <= kMostParts; ++n)
    if (conv.loops.terms / tiles.terms % n == 0) parts.push_back(n);
  return parts;
}

/// Sums whole, and in so many parts that each multiprocessor has a block, and two.
std::vector<Tiles> candidates(gpu::Convolution const& conv, Tiles tiles, Target const& target) {
  std::vector<Tiles> all;
  gpu::ConvShape const& shape = conv.shape;
  std::vector<int64_t> const parts = part_choices(conv, tiles);
  int64_t places = shape.pictures * shape.rows * shape.columns;
  for (Form const& form : kForms) {
    int64_t blocks =
        (shape.channels + form.rows - 1) / form.rows * ((places + form.columns - 1) / form.columns);
    tiles.form = form;
    tiles.parts = 1;
    all.push_back(tiles);
    for (int64_t wanted : {1, 2}) {
      auto enough = std::ranges::find_if(
          parts, [&](int64_t n) { return blocks * n >= wanted * target.hardware.unit().count; });
      tiles.parts = enough == parts.end() ? parts.back() : *enough;
      if (tiles.parts > all.back().parts) all.push_back(tiles);
    }
  }
  return all;
}

/// Rows and columns get whole tiles; what is made beyond the product is not copied. The names of
/// the factors' blocks are then others.
bool pad_axes(gpu::Steps& steps, gpu::Product& product, Tiles const& tiles) {
  std::string const& c = product.block;
  int64_t const to[] = {tiles.form.rows, tiles.form.columns};
  std::vector<std::string> inlined;
  for (size_t axis : {0, 1}) {
    if (product.extents[axis] % to[axis] == 0) continue;
    if (!steps.take(fmt::format("pad({}.{}, to={})", c, product.loops[axis], to[axis])))
      return false;
    inlined.insert(inlined.begin(), c + (inlined.empty() ? "_crop" : "_crop_2"));
    inlined.push_back(product.factors[axis]);
    product.factors[axis] += "_pad";
  }
  return std::ranges::all_of(inlined, [&](std::string const& block) {
    return steps.take(fmt::format("compute_inline({})", block));
  });
}

/// Loops of a block that brings a factor: what it lies by, and terms or places.
struct Filled {
  std::string row, column;
};

/// The terms of a longer window become one loop.
std::optional<Filled> filled_loops(gpu::Steps& steps, std::string const& block, size_t factor,
                                   bool over_window) {
  std::vector<std::string> loops = steps.loops_below(block, "k0");
  size_t count = loops.size();
  if (!over_window)
    return count < 2 ? std::nullopt : std::optional(Filled{loops[count - 2], loops[count - 1]});
  if (count < 3) return std::nullopt;
  size_t term = factor == 0 ? count - 2 : count - 3;
  std::string terms = steps.fuse_all(block, {loops[term], loops[term + 1]}, "terms");
  if (terms.empty()) return std::nullopt;
  return factor == 0 ? Filled{loops[count - 3], terms} : Filled{terms, loops[count - 1]};
}

/// Whether copies go on meanwhile; nothing: a step is refused.
std::optional<bool> fill(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                         size_t factor) {
  std::string const& block = product.factors[factor];
  auto loops = filled_loops(steps, block, factor, tiles.side > 0);
  if (!loops) return std::nullopt;
  auto by = [&](char const* macro, std::string const& rest) {
    return steps.take(
        fmt::format("{}({}, {}, {}, {})", macro, block, loops->row, loops->column, rest));
  };
  if ((factor == 0 || tiles.window == 1) &&
      fill_by_copies(steps, tiles, block, loops->row, loops->column))
    return true;
  int64_t at_once = tiles.side > 0 ? tiles.side : tiles.window == 1 ? 8 : tiles.window;
  bool made = factor == 0 ? by("share_among_threads", fmt::format("y={}", tiles.warps()))
                          : by("gather_by_threads",
                               fmt::format("window={}, parts={}", at_once,
                                           tiles.warps() / (tiles.form.columns / kWarpColumns)));
  return made ? std::optional(false) : std::nullopt;
}

/// Into rows of shared memory, by all threads; in stages where both copies go on meanwhile.
bool bring_factors(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  for (size_t i : {0, 1})
    if (!steps.take(fmt::format("stage_apart({}, {}.k0, {}{})", product.factors[i], c,
                                tiles.apart(), i == 1 && tiles.side > 0 ? ", dim=2" : "")))
      return false;
  if (!steps.take(fmt::format("decompose_reduction({}.k0)", c))) return false;
  auto weights = fill(steps, product, tiles, 0), input = fill(steps, product, tiles, 1);
  if (!weights || !input) return false;
  return multiply(steps, c, tiles, *weights && *input && product.extents[2] > tiles.terms);
}

/// Of a block of which `last` writes the sums; `layout` of these in registers.
bool tile_product(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                  std::string const& last, char const* layout) {
  bool made = cut_into_fragments(steps, product, tiles, last, layout) &&
              (tiles.parts == 1 ||
               steps.take(fmt::format("bind({}.part, axis=blockIdx.z)", product.block))) &&
              bring_factors(steps, product, tiles);
  if (made) widen_stores(steps, last);
  return made;
}

/// As in matrix_rule.cpp: blocks make parts of the sums, and those of another launch add them.
bool tile_parts(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles) {
  gpu::Product part = product;
  part.block = gpu::make_parts(steps, product.block, product.loops.back(), tiles.parts);
  part.loops = {"part", product.loops[0], product.loops[1], "k"};
  part.extents[2] /= tiles.parts;
  return !part.block.empty() &&
         steps.take(fmt::format("reorder({0}.part, {0}.{1}, {0}.{2})", part.block, part.loops[1],
                                part.loops[2])) &&
         gpu::add_parts(steps, product.block, {product.loops[0], product.loops[1]},
                        product.epilogue) &&
         steps.take(fmt::format("cache_write({}, scope=local)", part.block)) &&
         tile_product(steps, part, tiles, part.block + "_write", "ABC8b8c");
}

/// The product of a longer window; its terms are one loop in the end.
std::optional<gpu::Product> over_window(gpu::Steps& steps, gpu::Convolution const& conv,
                                        Tiles const& tiles) {
  std::string const& c = conv.block;
  auto site = find_block(steps.schedule().program(), c);
  auto const* sum = site ? site->block->body.as<Store>() : nullptr;
  if (!sum || conv.loops.spatial.size() != 4) return std::nullopt;
  std::vector<std::string> const &at = conv.loops.spatial, &terms = conv.loops.reduce;
  std::vector<std::string> lines{fmt::format(
      "p = product_over_window({0}, {0}.{1}, {0}.{2}, {0}.{3}, {0}.{4}, {0}.{5}, {0}.{6}, "
      "input={7}, weights={8}, output={9}, side={10})",
      c, at[0], at[1], at[2], at[3], terms[1], terms[2], conv.input, conv.weights,
      sum->buffer->name, tiles.side)};
  for (std::string const& block :
       {conv.before, conv.weights + "_reindex", conv.weights + "_reindex_pad",
        conv.input + "_reindex", conv.input + "_reindex_pad"})
    if (!block.empty()) lines.push_back(fmt::format("compute_inline({})", block));
  if (!conv.after.empty()) lines.push_back(fmt::format("reverse_compute_inline({})", conv.after));
  lines.push_back(
      fmt::format("k = fuse({0}.{1}, {0}.{2}, {0}.{3})", c, terms[0], terms[1], terms[2]));
  lines.push_back(fmt::format("merge_iterators({})", c));
  if (!steps.take_all(lines)) return std::nullopt;
  gpu::ConvShape const& shape = conv.shape;
  return gpu::Product{
      .block = c,
      .epilogue = c + "_write",
      .loops = {at[1], "p", "k"},
      .extents = {shape.channels, shape.pictures * shape.rows * shape.columns,
                  shape.input_channels * tiles.terms},
      .factors = {conv.weights + "_reindex_pad_pad", conv.input + "_reindex_pad_pad"},
      .made_factors = true};
}

std::optional<Schedule> scheduled(Program const& program, std::shared_ptr<Target const> target,
                                  gpu::Convolution const& conv, Tiles const& tiles,
                                  ProofBudget budget) {
  gpu::Steps steps(Schedule(program, std::move(target)), budget);
  auto product = tiles.side > 0 ? over_window(steps, conv, tiles)
                                : gpu::as_product(steps, conv, gpu::TermOrder::kChannelsFirst);
  if (!product || !pad_axes(steps, *product, tiles)) return std::nullopt;
  bool made = tiles.parts > 1
                  ? tile_parts(steps, *product, tiles)
                  : steps.take(fmt::format("set_scope({}, scope=local)", product->block)) &&
                        tile_product(steps, *product, tiles, product->epilogue, "AB8a8b");
  if (!made || std::ranges::count(steps.schedule().script(), '\n') > kMostLines)
    return std::nullopt;
  return steps.schedule();
}

}  // namespace

std::optional<Schedule> fragment_conv(Program const& program, std::shared_ptr<Target const> target,
                                      gpu::Convolution const& conv, MatrixUnit const& unit,
                                      Decisions& decisions, gpu::Judge const& judge) {
  auto plain = plain_tiles(conv, unit);
  // Last columns that are no whole fragment would leave sums in parts alone, which short sums are
  // not worth.
  int64_t places = conv.shape.pictures * conv.shape.rows * conv.shape.columns;
  if (!plain || (conv.shape.window == 1 && places % kFragment != 0)) return std::nullopt;
  std::vector<Tiles> all = candidates(conv, *plain, *target);
  auto fastest = judge.fastest("convolution in fragments", program, all.size(), [&](size_t i) {
    // Without proofs: the one that is taken is proven.
    return scheduled(program, target, conv, all[i], ProofBudget::kTrusted);
  });
  if (!fastest) return std::nullopt;
  Tiles tiles = all[*fastest];
  int64_t rows = decisions.choose(conv.block + ".rows", {64, 128}, tiles.form.rows);
  int64_t columns = decisions.choose(conv.block + ".columns", {64, 128}, tiles.form.columns);
  tiles.form = form_of(rows, columns);
  tiles.parts = decisions.choose(conv.block + ".parts", part_choices(conv, *plain), tiles.parts);
  if (auto made = scheduled(program, target, conv, tiles, decisions.budget())) return made;
  decisions.reject("tile", "a step of these tiles is refused");
  return scheduled(program, std::move(target), conv, all[*fastest], decisions.budget());
}

}  // namespace tw::cuda
