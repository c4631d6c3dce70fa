#include "targets/shared/gpu/product_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kLeast = 16;  // of rows, columns and terms: less is no tile

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
    if (!right || !extent || (i + 3 >= count && *extent < kLeast)) return std::nullopt;
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
  int64_t threads_y() const { return rows / own_rows; }
  int64_t threads_x() const { return columns / own_columns; }
  int64_t threads() const { return threads_x() * threads_y(); }
  /// Of the smaller of the two shared tiles.
  int64_t least_elements() const { return std::min(rows, columns) * terms; }
};

constexpr int64_t kMostOwn = 128;  ///< registers that a thread's sums take

/// Of the thread's sums, each of which takes one or two.
int64_t registers_of(Tiles const& tiles, Program const& program) {
  auto const& store = blocks_of(program.body)[0].block->body.to<Store>();
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
};

/// All threads of the block bring a tile together.
bool fill(Steps& steps, std::string const& tensor, std::string const& prefix, Tiles const& tiles) {
  std::string block = tensor + "_cache";
  std::string all = steps.fuse_all(block, steps.loops_below(block, "k0"), prefix);
  if (all.empty()) return false;
  return steps.take_all(
      {fmt::format("{0}r, {0}x = split({1}, factor={2})", prefix, all, tiles.threads_x()),
       fmt::format("{0}n, {0}y = split({1}.{0}r, factor={2})", prefix, block, tiles.threads_y()),
       fmt::format("bind({}.{}y, axis=threadIdx.y)", block, prefix),
       fmt::format("bind({}.{}x, axis=threadIdx.x)", block, prefix)});
}

/// A block's tile, a thread's in it and the parts of the sum.
std::vector<std::string> tiling_of(Product const& product, Tiles const& tiles) {
  std::string const &c = product.block, &last = product.epilogue;
  auto loop = [&](size_t from_end) {
    return c + "." + product.loops[product.loops.size() - from_end];
  };
  bool in_pieces = tiles.pieces > 1;
  std::vector<std::string> lines{
      last.empty() ? fmt::format("cache_write({}, scope=local)", c)
                   : fmt::format("set_scope({}, scope=local)", c),
      fmt::format("by, bx, i1, j1 = tile({}, {}, outer_factor={}, inner_factor={})", loop(3),
                  loop(2), tiles.rows, tiles.columns)};
  if (in_pieces)
    lines.push_back(
        fmt::format("j3, j4 = split({}.j1, factor={})", c, tiles.columns / tiles.pieces));
  lines.push_back(
      fmt::format("ty, tx, i2, j2 = tile({0}.i1, {0}.{1}, outer_factor={2}, "
                  "inner_factor={3})",
                  c, in_pieces ? "j4" : "j1", tiles.own_rows, tiles.own_columns / tiles.pieces));
  lines.push_back(fmt::format("k0, k1 = split({}, factor={})", loop(1), tiles.terms));
  lines.push_back(
      fmt::format("reorder({0}.k0, {0}.k1, {1}{0}.i2, {0}.j2)", c, in_pieces ? c + ".j3, " : ""));
  lines.push_back(
      fmt::format("reverse_compute_at({}, {}.tx)", last.empty() ? c + "_write" : last, c));
  return lines;
}

bool schedule_product(Steps& steps, Product const& product, Tiles const& tiles) {
  std::string const& c = product.block;
  bool many = product.loops.size() == 4;
  if (!steps.take_all(tiling_of(product, tiles))) return false;
  if (many && !steps.take(fmt::format("bind({}.{}, axis=blockIdx.z)", c, product.loops[0])))
    return false;
  for (auto [name, axis] : {std::pair{"by", "blockIdx.y"},
                            {"bx", "blockIdx.x"},
                            {"ty", "threadIdx.y"},
                            {"tx", "threadIdx.x"}})
    if (!steps.take(fmt::format("bind({}.{}, axis={})", c, name, axis))) return false;
  for (std::string const& factor : product.factors)
    if (!steps.take(fmt::format("cache_read({}, tensor={}, scope=shared)", c, factor)))
      return false;
  for (std::string const& factor : product.factors)
    if (!steps.take(fmt::format("compute_at({}_cache, {}.k0)", factor, c))) return false;
  return fill(steps, product.factors[0], "p", tiles) && fill(steps, product.factors[1], "q", tiles);
}

/// The fastest by the device's model, else as large as the product has use for, and as the block's
/// threads allow.
Tiles preset_tiles(Product const& product, ir::Program const& program,
                   std::shared_ptr<Target const> const& target, Judge const& judge) {
  size_t at = product.loops.size() - 3;
  int64_t rows = product.extents[at], columns = product.extents[at + 1];
  auto fastest = judge.fastest(
      "product", program, std::size(kCandidates), [&](size_t i) -> std::optional<Schedule> {
        Tiles const& tiles = kCandidates[i];
        Steps steps(Schedule(program, target));
        // A product of many is a line longer by itself.
        bool fits = (tiles.pieces == 1 || at == 0) && tiles.rows <= rows &&
                    tiles.columns <= columns && tiles.terms <= product.extents[at + 2] &&
                    tiles.threads() <= target->threads_per_block &&
                    registers_of(tiles, program) <= kMostOwn;
        if (!fits || !schedule_product(steps, product, tiles)) return std::nullopt;
        return steps.schedule();
      });
  if (fastest) return kCandidates[*fastest];
  Tiles tiles;
  int64_t most = std::min({rows, columns, int64_t(target->threads_per_block >= 256 ? 64 : 32)});
  tiles.rows = tiles.columns = up_to({16, 32, 64}, most).back();
  return tiles;
}

Tiles tiles_for(Product const& product, Program const& program, Tiles const& preset,
                Target const& target, Decisions& decisions) {
  size_t at = product.loops.size() - 3;
  auto ask = [&](char const* name, std::vector<int64_t> const& values, int64_t by_rule) {
    return decisions.choose(product.block + name, values, by_rule);
  };
  Tiles tiles;
  tiles.own_rows = ask(".own_rows", {2, 4, 8, 16}, preset.own_rows);
  tiles.own_columns = ask(".own_columns", {2, 4, 8}, preset.own_columns);
  if (at == 0) tiles.pieces = ask(".pieces", {1, 2}, preset.pieces);
  tiles.rows = ask(".rows", up_to({16, 32, 64, 128}, product.extents[at]), preset.rows);
  tiles.columns =
      ask(".columns", up_to({16, 32, 64, 128, 256}, product.extents[at + 1]), preset.columns);
  tiles.terms = ask(".terms", up_to({4, 8, 16, 32}, product.extents[at + 2]), preset.terms);
  if (tiles.threads() > target.threads_per_block)
    decisions.reject("threads", "a block of these tiles would have more threads than there may be");
  else if (tiles.least_elements() < tiles.threads())
    decisions.reject("tile", "a shared tile would have fewer elements than the block has threads");
  else if (registers_of(tiles, program) > kMostOwn)
    decisions.reject("registers", "a thread would have more sums than registers hold");
  return tiles;
}

}  // namespace

std::optional<Schedule> product_schedule(Program const& program,
                                         std::shared_ptr<Target const> target, Decisions& decisions,
                                         Judge const& judge) {
  auto product = product_of(program);
  if (!product) return std::nullopt;
  Tiles preset = preset_tiles(*product, program, target, judge);
  Tiles tiles = tiles_for(*product, program, preset, *target, decisions);
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_product(steps, *product, tiles)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
