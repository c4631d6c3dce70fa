#include "targets/shared/gpu/product_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/product_factors.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/sum_parts.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kLeast = 16;           // of columns and terms: less is no tile
constexpr int64_t kNarrow = 32;          // columns of a warp
constexpr int64_t kWanted = 65536;       // threads of a launch: a GPU has so many places
constexpr int64_t kMostParts = 32;       // of a sum
constexpr int64_t kLeastPartTerms = 64;  // less is not worth a second launch

/// Every index is an iterator by itself.
bool is_plain(Load const& read) {
  return std::ranges::all_of(read.indices,
                             [](Expr const& e) { return e.as<Variable>() != nullptr; });
}

/// Two loads of different tensors, multiplied, converted or not.
bool find_factors(Block const& block, Product& product) {
  std::vector<Load const*> reads = multiplied_reads(block);
  if (reads.size() != 2 || !is_plain(*reads[0]) || !is_plain(*reads[1])) return false;
  for (size_t at = 0; at < 2; ++at) product.factors[at] = reads[at]->buffer->name;
  return product.factors[0] != product.factors[1];
}

/// Sums of few rows whose terms lie side by side are made by a block for each.
int64_t least_rows(Block const& block) { return sums_along_rows(block) ? kLeast : 1; }

}  // namespace

std::optional<Product> product_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  if (blocks.empty() || blocks.size() > 2) return std::nullopt;
  BlockSite const& site = blocks[0];
  Product product{.block = site.block->name, .epilogue = {}};
  size_t count = site.loops.size();
  if ((count != 3 && count != 4) || site.block->iters.size() != count) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    bool last = i + 1 == count;
    auto extent = as_int(site.loops[i]->extent);
    bool right = site.block->iters[i].kind == (last ? IterKind::kReduce : IterKind::kSpatial);
    int64_t least = i + 3 < count ? 1 : i + 3 == count ? least_rows(*site.block) : kLeast;
    if (!right || !extent || *extent < least) return std::nullopt;
    product.loops.push_back(site.loops[i]->name());
    product.extents.push_back(*extent);
  }
  if (!find_factors(*site.block, product)) return std::nullopt;
  if (blocks.size() == 1) return product;
  auto const* made = site.block->body.as<Store>();
  if (!made || !reads_where_it_writes(*blocks[1].block, made->buffer->name)) return std::nullopt;
  product.epilogue = blocks[1].block->name;
  return product;
}

namespace {

/// What a block and a thread make.
struct Tiles {
  int64_t rows = 64, columns = 64, terms = 8;  ///< of a block
  int64_t own_rows = 4, own_columns = 4;       ///< of a thread
  int64_t pieces = 1;  ///< that its columns are in, one in each part of the block's columns
  int64_t parts = 1;   ///< that other blocks make of each sum, and another launch adds
  int64_t threads_y() const { return rows / own_rows; }
  int64_t threads_x() const { return columns / own_columns; }
  int64_t threads() const { return threads_x() * threads_y(); }
};

constexpr int64_t kMostOwn = 128;  ///< registers that a thread's sums take

/// Of the thread's sums, each of which takes one or two.
int64_t registers_of(Tiles const& tiles, Product const& product, Program const& program) {
  auto const& store = find_block(program, product.block)->block->body.to<Store>();
  return tiles.own_rows * tiles.own_columns * (size_of(store.buffer->type) > 4 ? 2 : 1);
}

/// Tiles to judge. Where a warp has the same rows (32 threads of four columns) it reads a factor's
/// row in one pass, and the other factor's element for all at once; fewer rows for each thread make
/// more blocks, which small products need. Eight columns are two pieces of four, so that a warp
/// still reads each of them in passes without conflicts.
constexpr Tiles kCandidates[] = {
    {64, 256, 8, 16, 8, 2}, {64, 128, 16, 8, 8, 2}, {64, 256, 16, 8, 8, 2}, {16, 256, 8, 4, 8, 2},
    {128, 128, 16, 16, 4},  {64, 128, 16, 8, 4},    {32, 128, 16, 4, 4},    {16, 128, 16, 2, 4},
    {64, 64, 8, 4, 4},      {32, 64, 16, 4, 4},     {32, 32, 16, 2, 2},     {16, 32, 16, 4, 4},
    {8, 128, 16, 2, 4},     {4, 128, 16, 1, 4},     {4, 32, 16, 1, 1},      {1, 128, 16, 1, 2},
    {1, 32, 32, 1, 1},      {16, 16, 16, 1, 1},
};

/// As many as there may be, the whole first.
std::vector<int64_t> part_choices(Product const& product) {
  std::vector<int64_t> parts{1};
  for (int64_t n = 2; n <= kMostParts && product.extents.back() >= n * kLeastPartTerms; ++n)
    if (product.extents.back() % n == 0) parts.push_back(n);
  return parts;
}

/// So many that there are about as many threads as a GPU has places for.
int64_t wanted_parts(Product const& product, Tiles const& tiles) {
  size_t at = product.loops.size() - 3;
  auto tiles_along = [&](size_t d, int64_t tile) { return (product.extents[d] + tile - 1) / tile; };
  int64_t blocks = tiles_along(at, tiles.rows) * tiles_along(at + 1, tiles.columns);
  if (at == 1) blocks *= product.extents[0];
  std::vector<int64_t> choices = part_choices(product);
  int64_t wanted = kWanted / (blocks * tiles.threads());
  auto more = std::ranges::find_if(choices, [&](int64_t n) { return n > 1; });
  // The least of all is tried where a length has few divisors.
  if (more != choices.end() && wanted > 1) wanted = std::max(wanted, *more);
  return up_to(choices, std::max<int64_t>(1, wanted)).back();
}

/// Of both factors; none, where blocks of the program make these.
std::vector<FactorTile> factor_tiles(Program const& program, Product const& product,
                                     Tiles const& tiles) {
  std::vector<FactorTile> all;
  if (product.made_factors) return all;
  Block const& block = *find_block(program, product.block)->block;
  size_t at = product.loops.size() - 3;
  for (Load const* read : multiplied_reads(block)) {
    bool of_rows = std::ranges::any_of(
        read->indices, [&](Expr const& e) { return uses_variable(e, block.iters[at].name()); });
    all.push_back(factor_tile({.read = *read,
                               .row = block.iters[of_rows ? at : at + 1].name(),
                               .term = block.iters.back().name(),
                               .rows = of_rows ? tiles.rows : tiles.columns,
                               .length = product.extents[of_rows ? at : at + 1],
                               .own = of_rows ? tiles.own_rows : tiles.own_columns / tiles.pieces,
                               .terms = tiles.terms,
                               .all_terms = product.extents.back() / tiles.parts,
                               .threads = tiles.threads()}));
  }
  return all;
}

/// Both factors come to shared memory tile by tile: all threads of the block bring a tile together,
/// fewer of them one that is smaller.
bool bring_factors(Steps& steps, Product const& product, std::string const& c,
                   std::vector<FactorTile> const& factors, Tiles const& tiles) {
  constexpr std::array kPrefixes{"p", "q"};
  std::string at = c + ".k0";
  if (product.made_factors) {
    for (std::string const& factor : product.factors)
      if (!steps.take(fmt::format("stage_at({}, {})", factor, at))) return false;
    for (size_t i = 0; i < kPrefixes.size(); ++i)
      if (!share_tile(steps, product.factors[i], "k0", kPrefixes[i], tiles.threads_y(),
                      tiles.threads_x()))
        return false;
    return true;
  }
  for (FactorTile const& factor : factors)
    if (!bring_tile(steps, factor, c, at)) return false;
  for (size_t i = 0; i < kPrefixes.size(); ++i)
    if (!fill_tile(steps, factors[i], kPrefixes[i], tiles.threads_y(), tiles.threads_x()))
      return false;
  return true;
}

/// A block's tile, and a thread's in it.
std::vector<std::string> tiling_of(std::string const& c, std::string const& rows,
                                   std::string const& columns, Tiles const& tiles) {
  bool in_pieces = tiles.pieces > 1;
  std::vector<std::string> lines{
      fmt::format("by, bx, i1, j1 = tile({}, {}, outer_factor={}, inner_factor={})", rows, columns,
                  tiles.rows, tiles.columns)};
  if (in_pieces)
    lines.push_back(
        fmt::format("j3, j4 = split({}.j1, factor={})", c, tiles.columns / tiles.pieces));
  lines.push_back(
      fmt::format("ty, tx, i2, j2 = tile({0}.i1, {0}.{1}, outer_factor={2}, inner_factor={3})", c,
                  in_pieces ? "j4" : "j1", tiles.own_rows, tiles.own_columns / tiles.pieces));
  return lines;
}

/// Blocks and threads, and what a thread does in which order, of sums whose terms are `terms`;
/// `last` writes them.
bool tile_loops(Steps& steps, Product const& product, std::string const& c,
                std::string const& terms, std::string const& last, Tiles const& tiles) {
  size_t at = product.loops.size() - 3;
  auto loop = [&](size_t i) { return c + "." + product.loops[i]; };
  std::string before =
      tiles.parts > 1 ? fmt::format("{0}.part, {0}.by, {0}.bx, {0}.ty, {0}.tx, ", c) : "";
  std::string pieces = tiles.pieces > 1 ? c + ".j3, " : "";
  bool made = steps.take_all(tiling_of(c, loop(at), loop(at + 1), tiles)) &&
              steps.take_all({
                  fmt::format("k0, k1 = split({}.{}, factor={})", c, terms, tiles.terms),
                  fmt::format("reorder({1}{0}.k0, {0}.k1, {2}{0}.i2, {0}.j2)", c, before, pieces),
                  fmt::format("reverse_compute_at({}, {}.tx)", last, c),
              });
  std::string outer = at == 1 ? loop(0) : std::string();
  if (tiles.parts > 1 && at == 1) {
    made = made && steps.take(fmt::format("bz = fuse({}, {}.part)", outer, c));
    outer = c + ".bz";
  } else if (tiles.parts > 1) {
    outer = c + ".part";
  }
  return made && (outer.empty() || steps.take(fmt::format("bind({}, axis=blockIdx.z)", outer)));
}

bool schedule_product(Steps& steps, Product const& product, Tiles const& tiles) {
  bool parts = tiles.parts > 1;
  std::vector<FactorTile> factors = factor_tiles(steps.schedule().program(), product, tiles);
  std::string c = product.block, terms = product.loops.back();
  if (parts) c = make_parts(steps, c, std::exchange(terms, "k"), tiles.parts);
  bool writes = parts || product.epilogue.empty();
  std::string last = writes ? c + "_write" : product.epilogue;
  if (c.empty() ||
      !steps.take(fmt::format("{}({}, scope=local)", writes ? "cache_write" : "set_scope", c)) ||
      !tile_loops(steps, product, c, terms, last, tiles))
    return false;
  if (!steps.take(fmt::format("bind_grid({0}.by, {0}.bx, {0}.ty, {0}.tx)", c))) return false;
  std::vector<std::string> elements(product.loops.begin(), product.loops.end() - 1);
  return bring_factors(steps, product, c, factors, tiles) &&
         (!parts || add_parts(steps, product.block, elements, product.epilogue));
}

/// The fastest by the device's model, else as large as the product has use for, and as the block's
/// threads allow.
Tiles preset_tiles(Product const& product, Schedule const& start, Judge const& judge) {
  Program const& program = start.program();
  Target const* target = &start.target();
  size_t at = product.loops.size() - 3;
  int64_t rows = product.extents[at], columns = product.extents[at + 1];
  std::vector<Tiles> all;
  for (Tiles tiles : kCandidates) {
    bool fits = tiles.rows <= rows && (tiles.rows < kLeast) == (rows < kLeast) &&
                (tiles.columns < kNarrow) == (columns < kNarrow) && tiles.columns <= columns &&
                tiles.terms <= product.extents[at + 2] &&
                tiles.threads() <= target->threads_per_block &&
                registers_of(tiles, product, program) <= kMostOwn;
    // A product of many, or one in parts, is longer by itself.
    if (!fits || (tiles.pieces > 1 && at != 0)) continue;
    all.push_back(tiles);
    if (tiles.pieces == 1) tiles.parts = wanted_parts(product, tiles);
    if (tiles.parts > 1) all.push_back(tiles);
  }
  auto fastest =
      judge.fastest("product", program, all.size(), [&](size_t i) -> std::optional<Schedule> {
        // Without proofs: the one that is taken is proven.
        Steps steps(start, ProofBudget::kTrusted);
        if (!schedule_product(steps, product, all[i])) return std::nullopt;
        return steps.schedule();
      });
  if (fastest) return all[*fastest];
  Tiles tiles;
  int64_t most = std::min(columns, int64_t(target->threads_per_block >= 256 ? 64 : 32));
  tiles.rows = tiles.columns = up_to({16, 32, 64}, std::min(most, std::max(rows, kLeast))).back();
  while (tiles.rows > rows) tiles.rows /= 2;
  tiles.own_rows = std::min(tiles.own_rows, tiles.rows);
  return tiles;
}

Tiles tiles_for(Product const& product, Program const& program, Tiles const& preset,
                Target const& target, Decisions& decisions) {
  size_t at = product.loops.size() - 3;
  auto ask = [&](char const* name, std::vector<int64_t> const& values, int64_t by_rule) {
    return decisions.choose(product.block + name, values, by_rule);
  };
  Tiles tiles;
  tiles.own_rows = ask(".own_rows", up_to({1, 2, 4, 8, 16}, product.extents[at]), preset.own_rows);
  tiles.own_columns = ask(".own_columns", {1, 2, 4, 8}, preset.own_columns);
  if (at == 0) tiles.pieces = ask(".pieces", {1, 2}, preset.pieces);
  tiles.rows = ask(".rows", up_to({1, 4, 8, 16, 32, 64, 128}, product.extents[at]), preset.rows);
  tiles.columns =
      ask(".columns", up_to({16, 32, 64, 128, 256}, product.extents[at + 1]), preset.columns);
  tiles.terms = ask(".terms", up_to({4, 8, 16, 32}, product.extents[at + 2]), preset.terms);
  tiles.parts = ask(".parts", part_choices(product), preset.parts);
  if (tiles.rows < tiles.own_rows)
    decisions.reject("tile", "a thread would have more rows than its block");
  else if (tiles.threads() > target.threads_per_block)
    decisions.reject("threads", "a block of these tiles would have more threads than there may be");
  else if (tiles.own_columns % tiles.pieces != 0)
    decisions.reject("pieces", "a thread has no column for each piece");
  else if (registers_of(tiles, product, program) > kMostOwn)
    decisions.reject("registers", "a thread would have more sums than registers hold");
  return tiles;
}

}  // namespace

std::optional<Schedule> tiled_product(Schedule const& start, Product const& product,
                                      Decisions& decisions, Judge const& judge) {
  Tiles preset = preset_tiles(product, start, judge);
  Tiles tiles = tiles_for(product, start.program(), preset, start.target(), decisions);
  if (decisions.rejection()) tiles = preset;  // any schedule does
  Steps steps(start, decisions.budget());
  if (!schedule_product(steps, product, tiles)) return std::nullopt;
  return steps.schedule();
}

std::optional<Schedule> product_schedule(Program const& program,
                                         std::shared_ptr<Target const> target, Decisions& decisions,
                                         Judge const& judge) {
  auto product = product_of(program);
  if (!product) return std::nullopt;
  return tiled_product(Schedule(program, std::move(target)), *product, decisions, judge);
}

}  // namespace tw::gpu
