#include <algorithm>

#include "engine/session/layouts.h"
#include "engine/tensor/layout.h"

namespace tw::session {
namespace {

constexpr int64_t kMostRows = 8, kMostColumns = 16;  // more would be no path that one can follow
constexpr int64_t kBlocks[] = {4, 8, 16};            // lanes of the machines' vectors

/// Row and column, the row first in the shape.
std::pair<size_t, size_t> drawn_dims(Layout const& layout, size_t rank) {
  size_t row = rank - 2, column = rank - 1;
  for (size_t dim = 0; dim < rank - 1; ++dim)
    if (layout.has_block(dim)) row = dim;
  return {row, column};
}

/// Where an element lies: a number for each axis as stored, outermost first.
std::vector<int64_t> stored_place(Layout const& layout, std::vector<int64_t> const& index) {
  std::vector<int64_t> place, around(index.size(), 0);
  for (Layout::Axis const& axis : layout.axes(index.size())) {
    int64_t at = index[axis.dim];
    if (around[axis.dim] > 0) at %= around[axis.dim];
    place.push_back(at / axis.step);
    around[axis.dim] = axis.step;
  }
  return place;
}

Layout swapped(size_t rank, std::optional<size_t> dim, int64_t size) {
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = i;
  std::swap(order[rank - 1], order[rank - 2]);
  std::vector<Layout::Block> blocks;
  if (dim) blocks.push_back({*dim, size});
  return Layout::create(order, blocks).value_or(Layout());
}

}  // namespace

std::vector<std::string> layout_choices(std::vector<int64_t> const& shape) {
  std::vector<std::string> choices;
  if (shape.size() < 2) return choices;
  auto add = [&](Layout const& layout) {
    std::string text = to_text(layout);
    if (!layout.is_plain() && std::ranges::find(choices, text) == choices.end())
      choices.push_back(text);
  };
  size_t rank = shape.size();
  add(swapped(rank, {}, 0));
  for (size_t dim : {rank - 1, rank - 2, size_t(1), size_t(0)})
    for (int64_t size : kBlocks) {
      if (dim >= rank || shape[dim] < size) continue;
      if (dim >= rank - 2) add(swapped(rank, dim, size));
      add(Layout::in_blocks(rank, dim, size));
    }
  return choices;
}

std::optional<LayoutPath> layout_path(std::string const& text, std::vector<int64_t> const& shape) {
  auto layout = Layout::parse(text);
  if (!layout || shape.size() < 2 || !layout->fits(shape.size())) return std::nullopt;
  auto [row, column] = drawn_dims(*layout, shape.size());
  LayoutPath path{.rows = int(std::min(shape[row], kMostRows)),
                  .columns = int(std::min(shape[column], kMostColumns)),
                  .row = std::string(1, char('A' + row)),
                  .column = std::string(1, char('A' + column))};
  std::vector<std::pair<std::vector<int64_t>, std::pair<int, int>>> cells;
  for (int r = 0; r < path.rows; ++r)
    for (int c = 0; c < path.columns; ++c) {
      std::vector<int64_t> index(shape.size(), 0);
      index[row] = r;
      index[column] = c;
      cells.push_back({stored_place(*layout, index), {r, c}});
    }
  std::ranges::sort(cells);
  for (auto const& [place, cell] : cells) path.cells.push_back(cell);
  return path;
}

}  // namespace tw::session
