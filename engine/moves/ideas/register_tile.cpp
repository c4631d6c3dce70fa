// A tile of sums in registers: vectors along one loop, copies along it and along another one, the
// reduction loops around the tile. What a vector or a scalar is loaded for serves the whole tile.
#include <fmt/format.h>

#include <algorithm>

#include "engine/moves/idea.h"

namespace tw::moves::idea_register_tile {
namespace {

struct Tile {
  NestLoop const* lanes = nullptr;
  NestLoop const* rows = nullptr;  ///< null: a tile of one row
  int64_t width = 1;               ///< lanes of a vector
  int64_t vectors = 1, count = 1;  ///< vectors side by side, rows
  bool in_strips = false;          ///< all rows of one strip of lanes before the next strip
};

bool may_be_copied(NestLoop const& loop) {
  return !loop.reduces && loop.kind == ir::LoopKind::kSerial && loop.extent > 1;
}

void offer_tile(Scene const& scene, BlockNest const& nest, Tile const& tile,
                Offering const& offering) {
  Draft draft(scene.schedule);
  auto [lanes_outer, strip] = draft.split(tile.lanes->id, tile.width * tile.vectors);
  auto [vectors, lanes] = draft.split(strip, tile.width);
  ir::LoopId rows_outer{}, rows{};
  if (tile.rows) std::tie(rows_outer, rows) = draft.split(tile.rows->id, tile.count);
  std::vector<ir::LoopId> order, sums;
  for (NestLoop const& loop : nest.loops) {
    if (loop.reduces) {
      sums.push_back(loop.id);
    } else if (loop.id == tile.lanes->id) {
      if (lanes_outer != strip) order.push_back(lanes_outer);
    } else if (tile.rows && loop.id == tile.rows->id) {
      if (rows_outer != rows) order.push_back(rows_outer);
    } else {
      order.push_back(loop.id);
    }
  }
  if (tile.in_strips) std::ranges::rotate(order, std::ranges::find(order, lanes_outer));
  order.insert(order.end(), sums.begin(), sums.end());
  if (tile.rows) order.push_back(rows);
  if (vectors != lanes) order.push_back(vectors);
  order.push_back(lanes);
  draft.reorder(order).at("vectorize", lanes);
  if (tile.rows) draft.at("unroll", rows);
  if (vectors != lanes) draft.at("unroll", vectors);
  std::string rows_text = tile.rows ? fmt::format("{} of {} by ", tile.count, tile.rows->name) : "";
  offering({std::move(draft), nest.block,
            fmt::format("a tile in registers: {}{} of {}{}", rows_text, tile.width * tile.vectors,
                        tile.lanes->name, tile.in_strips ? ", strip by strip" : "")});
}

/// Rows that leave no remainder, and those that fill the registers.
std::vector<int64_t> row_counts(int64_t extent, int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t count = 2; count <= std::min(extent, most); ++count)
    if (extent % count == 0 || count == most) counts.push_back(count);
  if (counts.size() > 3) counts.erase(counts.begin(), counts.end() - 3);
  return counts;
}

/// All lanes of the machine; where they leave a remainder, also as many as leave none: sums of a
/// remainder do not stay in registers.
std::vector<int64_t> widths(int64_t extent, int64_t lanes) {
  std::vector<int64_t> list{lanes};
  for (int64_t width = lanes - 1; width > lanes / 2 && extent % lanes != 0; --width)
    if (extent % width == 0) return list.push_back(width), list;
  return list;
}

void offer_nest(Scene const& scene, BlockNest const& nest, NestLoop const& lanes, int64_t width,
                Offering const& offering) {
  int64_t registers = scene.hardware.unit().vector_registers;
  for (int64_t vectors : {1, 2, 4}) {
    if (vectors > 1 && lanes.extent < vectors * width) break;
    // One register broadcasts a scalar, a row of them holds what is loaded.
    int64_t most = (registers - 1 - vectors) / vectors;
    offer_tile(scene, nest, {&lanes, nullptr, width, vectors, 1}, offering);
    for (NestLoop const& rows : nest.loops) {
      if (rows.id == lanes.id || !may_be_copied(rows)) continue;
      bool strips = lanes.extent > vectors * width;
      for (int64_t count : row_counts(rows.extent, most)) {
        offer_tile(scene, nest, {&lanes, &rows, width, vectors, count}, offering);
        if (strips) offer_tile(scene, nest, {&lanes, &rows, width, vectors, count, true}, offering);
      }
    }
  }
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests) {
    bool apart = std::ranges::all_of(nest.loops, &NestLoop::alone);
    if (!nest.sums || nest.marked() || !apart || scene.lanes(nest) < 2) continue;
    for (NestLoop const& loop : nest.loops)
      if (loop.writes_neighbours && may_be_copied(loop))
        for (int64_t width : widths(loop.extent, scene.lanes(nest)))
          offer_nest(scene, nest, loop, width, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "register_tile", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_register_tile
