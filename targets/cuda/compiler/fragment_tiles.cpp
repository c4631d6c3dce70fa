#include "targets/cuda/compiler/fragment_tiles.h"

#include <fmt/format.h>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw::cuda {
namespace {

constexpr int64_t kPieceBytes = 16;  // that one instruction copies

/// The two innermost loops around a block, as scripts have them.
std::string last_loops(gpu::Steps const& steps, std::string const& block) {
  ir::Program const& program = steps.schedule().program();
  auto site = find_block(program, block);
  if (!site || site->loops.size() < 2) return {};
  size_t count = site->loops.size();
  return reference_of(program, site->loops[count - 2]->id) + ", " +
         reference_of(program, site->loops[count - 1]->id);
}

}  // namespace

Form form_of(int64_t rows, int64_t columns) {
  return {rows, columns, rows + columns > 128 ? 64 : 32};
}

std::string FragmentTiles::apart() const {
  int64_t piece = kPieceBytes / size_of(unit->factor);
  return fmt::format("banks={}, apart={}", 2 * piece, piece);
}

bool cut_into_fragments(gpu::Steps& steps, gpu::Product const& product, FragmentTiles const& tiles,
                        std::string const& last, char const* layout) {
  std::string const& c = product.block;
  auto loop = [&](size_t i) { return c + "." + product.loops[product.loops.size() - 3 + i]; };
  return steps.take(fmt::format(
      "k0, lane, a = fragments_of_product({}, {}, {}, {}, {}, {}, layout={}, rows={}, columns={}, "
      "warp_rows={}, terms={}, unit={})",
      c, last, loop(0), loop(1), loop(2), last_loops(steps, last), layout, tiles.form.rows,
      tiles.form.columns, tiles.form.warp_rows, tiles.terms, tiles.unit->terms()));
}

bool fill_by_copies(gpu::Steps& steps, FragmentTiles const& tiles, std::string const& block,
                    std::string const& row, std::string const& column) {
  return steps.take(fmt::format(
      "fill_by_threads({}, {}, {}, copy=copy_async_16_{}, elements={}, y={})", block, row, column,
      to_text(tiles.unit->factor), kPieceBytes / size_of(tiles.unit->factor), tiles.warps()));
}

bool multiply(gpu::Steps& steps, std::string const& block, FragmentTiles const& tiles,
              bool staged) {
  auto turn = [&](char const* which) {
    return steps.take(
        fmt::format("tensorize({}{}.a, intrinsic={})", block, which, tiles.unit->name));
  };
  staged = staged && steps.take(fmt::format("software_pipeline({}.k0, stages=\"0,0,1\")", block));
  return turn("") && (!staged || turn("_last"));
}

void widen_stores(gpu::Steps& steps, std::string const& last) {
  std::vector<std::string> loops = steps.loops_below(last, "lane");
  if (!loops.empty()) steps.take(fmt::format("vectorize({})", loops.back()));
}

}  // namespace tw::cuda
