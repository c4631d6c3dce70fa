#include "targets/shared/gpu/product_factors.h"

#include <fmt/format.h>

#include <numeric>

#include "engine/ir/rewrite.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

/// Elements of four bytes of one access of 128 bits.
constexpr int64_t kWide = 4;

/// Words of a sector of main memory.
constexpr int64_t kPiece = 8;

/// The dimensions as letters, the last two exchanged.
std::string turned_layout(int64_t rank) {
  std::string layout(size_t(rank), 'A');
  std::iota(layout.begin(), layout.end(), 'A');
  std::swap(layout[size_t(rank - 2)], layout[size_t(rank - 1)]);
  return layout;
}

}  // namespace

FactorTile factor_tile(TileWanted const& wanted) {
  ir::Load const& read = wanted.read;
  FactorTile tile{.tensor = read.buffer->name,
                  .rank = int64_t(read.indices.size()),
                  .rows = wanted.rows,
                  .terms = wanted.terms};
  if (size_of(read.buffer->type) != 4 || tile.rank < 2) return tile;
  auto in_last_two = [&](std::string const& last, std::string const& other) {
    return ir::uses_variable(read.indices.back(), last) &&
           ir::uses_variable(read.indices[size_t(tile.rank - 2)], other);
  };
  bool terms_last = in_last_two(wanted.term, wanted.row);
  if (!terms_last && !in_last_two(wanted.row, wanted.term)) return tile;  // a batch lies between
  tile.turned = terms_last && wanted.own % kWide == 0;
  bool whole = wanted.length % tile.rows == 0 && wanted.all_terms % tile.terms == 0;
  tile.wide = !tile.turned && whole && (terms_last ? tile.terms : tile.rows) % kWide == 0 &&
              tile.rows * tile.terms > kWide * wanted.threads;
  return tile;
}

bool bring_tile(Steps& steps, FactorTile const& tile, std::string const& block,
                std::string const& at) {
  if (!tile.turned)
    return steps.take(
        fmt::format("pack_panels({}, {}, tensor={}, memory=shared)", block, at, tile.tensor));
  // Threads write columns: rows apart by a vector keep columns in different banks, and vectors at
  // multiples of their size.
  return steps.take(fmt::format("copy_apart({}, {}, tensor={}, layout={}, dim={}, apart={})", block,
                                at, tile.tensor, turned_layout(tile.rank), tile.rank - 2, kWide));
}

bool fill_tile(Steps& steps, FactorTile const& tile, std::string const& prefix, int64_t threads_y,
               int64_t threads_x) {
  std::string block = tile.tensor + "_cache";
  std::vector<std::string> loops = steps.loops_below(block, "k0");
  bool pieces = tile.terms > kPiece && tile.terms % kPiece == 0 && loops.size() == 2;
  if (tile.turned && pieces && tile.rows * tile.terms > threads_x * threads_y)
    return steps.take(fmt::format("share_columns({}, {}, {}, elements={}, x={}, y={})", block,
                                  loops[0], loops[1], kPiece, threads_x, threads_y));
  if (tile.wide && loops.size() == 2)
    return steps.take(fmt::format("share_vectors({}, {}, {}, elements={}, x={}, y={})", block,
                                  loops[0], loops[1], kWide, threads_x, threads_y));
  return share_tile(steps, block, "k0", prefix, threads_y, threads_x);
}

}  // namespace tw::gpu
