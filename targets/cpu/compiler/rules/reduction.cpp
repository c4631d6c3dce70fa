#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/padding.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kWorthThreads = 65536;  // iterations
constexpr int64_t kMostCopies = 64;       // of an epilogue's statement
constexpr int64_t kMostWrittenOut = 128;  // statements of a sum of few terms,
constexpr int64_t kMostOfMany = 48;       // and of many: more is long to compile
constexpr int64_t kShortRow = 4;          // iterations of a loop that is written out

/// Loops of the tiled nest by what they are for.
struct Cut {
  std::vector<std::string> outer, copies;
  std::vector<std::pair<std::string, int64_t>> extents;  // of the outer ones
  std::string lanes;
};

constexpr size_t kMostOrdered = 4;  // loops: 24 orders

/// Another order of loops than the rule's; those of one iteration stay where they are.
void ask_for_order(Building& building, RuleStage const& stage, std::string const& what,
                   std::vector<std::pair<std::string, int64_t>>& loops) {
  std::vector<size_t> places;
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].second > 1) places.push_back(i);
  if (places.size() < 2 || places.size() > kMostOrdered) return;
  auto words = [&](std::vector<size_t> const& order) {
    std::string text;
    for (size_t i : order) text += (text.empty() ? "" : ",") + loops[i].first;
    return text;
  };
  std::map<std::string, std::vector<size_t>> orders;
  std::vector<std::string> values;
  std::vector<size_t> order = places;
  do {
    values.push_back(words(order));
    orders[values.back()] = order;
  } while (std::ranges::next_permutation(order).found);
  std::vector<size_t> const& chosen =
      orders.at(building.choose(stage, what, values, words(places)));
  auto const before = loops;
  for (size_t i = 0; i < places.size(); ++i) loops[places[i]] = before[chosen[i]];
}

/// Loops over tiles cut once more, in blocks for a cache: all loops over blocks stand outside of
/// all loops within them. By rule a block is one tile.
void ask_for_blocks(Building& building, RuleStage const& stage,
                    std::vector<std::pair<std::string, int64_t>>& loops) {
  std::vector<std::pair<std::string, int64_t>> outside, within;
  for (auto const& [name, extent] : loops) {
    std::vector<int64_t> counts;
    for (int64_t count = 1; count < extent; count *= 2) counts.push_back(count);
    int64_t block = 1;
    if (counts.size() > 2)
      block = building.choose(stage, "block." + name.substr(0, name.find('.')), counts, block);
    if (block == 1) {
      within.push_back({name, extent});
      continue;
    }
    auto [rest, tiles] = building.split(stage, {name, extent}, block);
    outside.push_back({rest, (extent + block - 1) / block});
    within.push_back({tiles, block});
  }
  loops = std::move(outside);
  loops.insert(loops.end(), within.begin(), within.end());
}

Cut cut_axes(Building& building, RuleStage const& stage, Tile const& tile) {
  Cut cut;
  std::vector<std::string> pairs;
  std::vector<std::pair<std::string, int64_t>> reusing;
  auto keep = [&](size_t axis, std::string const& name, int64_t extent) {
    // Weights that are streamed are read once: loops that use the same ones again stand inside.
    bool again = stage.streams && axis != tile.vector &&
                 sharing(stage, stage.spatial[tile.vector], stage.spatial[axis]) > 1;
    (again ? reusing : cut.extents).push_back({name, extent});
  };
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    RuleAxis const& axis = stage.spatial[i];
    int64_t factor = i == tile.vector ? tile.lanes * tile.vectors : tile.factors[i];
    if (factor == 1) {
      keep(i, axis.name, axis.extent);
      continue;
    }
    auto [rest, inner] = building.split(stage, axis, factor);
    if (!rest.empty()) keep(i, rest, (axis.extent + factor - 1) / factor);
    if (i != tile.vector) {
      (i == tile.blocks ? pairs : cut.copies).push_back(inner);
      continue;
    }
    auto [vectors, lanes] =
        building.split(stage, {inner, std::min(factor, axis.extent)}, tile.lanes);
    if (!vectors.empty()) pairs.push_back(vectors);
    cut.lanes = lanes;
  }
  cut.extents.insert(cut.extents.end(), reusing.begin(), reusing.end());
  ask_for_order(building, stage, "order", cut.extents);
  ask_for_blocks(building, stage, cut.extents);
  for (auto const& [name, extent] : cut.extents) cut.outer.push_back(name);
  // Innermost: a scalar of the other operand is used for both vectors before the next is read, so
  // that only one of them takes a register.
  cut.copies.insert(cut.copies.end(), pairs.begin(), pairs.end());
  return cut;
}

/// The layout of a tensor with one of its dimensions put last: "ACDB" for the second of four.
std::string with_last(size_t rank, size_t last) {
  std::string layout;
  for (size_t d = 0; d < rank; ++d)
    if (d != last) layout += char('A' + d);
  return layout + char('A' + last);
}

/// The stage that takes the sums out of the tile: a reader where there is one, else a copy.
std::string epilogue_of(Building& building, RuleStage const& stage, RuleStage const* reader,
                        bool needed) {
  if (reader) return reader->block;
  if (needed && building.step(fmt::format("cache_write({}, scope=local)", stage.block)))
    return stage.block + "_write";
  return "";
}

/// Moves a stage that reads the sums to where a tile of them is finished; its lanes and copies are
/// those of the tile.
bool join_epilogue(Building& building, RuleStage const& stage, std::string const& epilogue,
                   std::string const& place, int64_t lanes) {
  if (!building.step(fmt::format("reverse_compute_at({}, {})", epilogue, reference(stage, place))))
    return false;
  std::vector<RuleAxis> loops = building.loops_below(epilogue, place);
  if (loops.empty()) return true;
  RuleStage const joined{epilogue, nullptr, {}, {}};
  RuleAxis row = loops.back();
  loops.pop_back();
  bool whole = building.step(fmt::format("vectorize({})", reference(joined, row.name)));
  if (!whole && row.extent > lanes) {
    auto [vectors, inner] = building.split(joined, row, lanes);  // too long for one vector
    loops.push_back({vectors, (row.extent + lanes - 1) / lanes});
    building.step(fmt::format("vectorize({})", reference(joined, inner)));
  }
  int64_t copies = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    copies *= loops[i].extent;
    if (copies > kMostCopies) break;
    building.step(fmt::format("unroll({})", reference(joined, loops[i].name)));
  }
  return true;
}

/// Only the sum itself goes along memory: softmax, norms, means over the last axis.
bool sums_along_memory(RuleStage const& stage, int64_t width) {
  int64_t block = 0;
  for (RuleAxis const& axis : stage.spatial)
    if (axis.extent > 1 && contiguous(stage, axis, width, block)) return false;
  if (stage.reduce.empty() || !contiguous(stage, stage.reduce.back(), width, block)) return false;
  int64_t extent = stage.reduce.back().extent;
  return extent >= 2 * width && (extent % width == 0 || extent >= 8 * width);
}

/// One partial sum in each lane, which a block of its own adds up: the stage of partial sums, or
/// nothing where rfactor is refused.
std::optional<RuleStage> partial_sums(Building& building, RuleStage const& stage, int64_t width) {
  RuleAxis const& along = stage.reduce.back();
  auto [rest, lanes] = building.split(stage, along, width);
  if (!building.step(fmt::format("rfactor({})", reference(stage, lanes)))) return std::nullopt;
  std::string name = stage.block + "_rf";
  for (BlockSite const& site : blocks_of(building.schedule().program().body)) {
    if (site.block->name != name) continue;
    RuleStage partial{name, Ref<Block>(site.block), {{lanes, width}}, stage.reduce};
    partial.spatial.insert(partial.spatial.end(), stage.spatial.begin(), stage.spatial.end());
    partial.reduce.back() = {rest, (along.extent + width - 1) / width};
    return partial;
  }
  return std::nullopt;
}

/// Adds up the partial sums of a tile where they were made.
void join_sums(Building& building, RuleStage const& stage, std::string const& place) {
  if (!building.step(fmt::format("reverse_compute_at({}, {})", stage.block, place))) return;
  if (building.is_brief()) return;
  int64_t copies = 1;
  std::vector<RuleAxis> loops =
      building.loops_below(stage.block, place.substr(place.find('.') + 1));
  for (size_t i = loops.size(); i-- > 0;) {
    copies *= loops[i].extent;
    if (copies > kMostCopies) break;
    building.step(fmt::format("unroll({}.{})", stage.block, loops[i].name));
  }
}

/// The axis is read in blocks, v // B and v % B: the answer is B. 0: it is not.
int64_t block_of(RuleStage const& stage, RuleAxis const& axis) {
  int64_t block = 0;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* node = e.as<Binary>();
    auto by = node && node->op == BinaryOp::kFloorMod ? as_int(node->b) : std::nullopt;
    if (by && is_iterator(node->a, axis)) block = *by;
    return true;
  });
  return block;
}

/// The loops of the sums. Those over blocks are cut into blocks and elements: no index is divided
/// in the innermost loops then.
std::vector<std::pair<std::string, int64_t>> loops_of_sums(Building& building,
                                                           RuleStage const& stage) {
  std::vector<std::pair<std::string, int64_t>> loops;
  for (RuleAxis const& axis : stage.reduce) {
    int64_t block = block_of(stage, axis);
    if (block <= 1 || block >= axis.extent || axis.extent % block != 0) {
      loops.push_back({axis.name, axis.extent});
      continue;
    }
    auto [blocks, elements] = building.split(stage, axis, block);
    loops.push_back({blocks, axis.extent / block});
    loops.push_back({elements, block});
  }
  return loops;
}

/// A row of a window, written out, keeps what its columns share in registers, beside the sums and
/// the vectors of one column.
bool row_fits(Tile const& tile, int64_t registers) {
  int64_t vectors = tile.vectors * (tile.blocks ? tile.factors[*tile.blocks] : 1);
  return tile.copies() + tile.copies() / vectors + vectors <= registers;
}

/// How many of the innermost loops of the sums are written out: by rule a window where few terms
/// are added (1.05 times faster than its rows), else a short row that fits. (With 10 sums, 2
/// vectors and 5 scalars in 16 registers a row of three was 1.19 times slower written out, with 8
/// sums 1.02 times faster.)
size_t ask_for_unrolled(Building& building, RuleStage const& stage, Target const& target,
                        Tile const& tile,
                        std::vector<std::pair<std::string, int64_t>> const& sums) {
  std::vector<int64_t> counts{0};
  bool few = stage.terms() <= kFewTerms;
  int64_t most = few ? kMostWrittenOut : kMostOfMany, written = tile.copies();
  for (size_t i = sums.size(); i-- > 0;) {
    written *= sums[i].second;
    if (written > most) break;
    counts.push_back(int64_t(sums.size() - i));
  }
  bool is_short = sums.size() > 0 && sums.back().second > 1 && sums.back().second <= kShortRow;
  int64_t by_rule = few ? counts.back()
                    : is_short && row_fits(tile, target.registers())
                        ? std::min<int64_t>(1, counts.back())
                        : 0;
  return size_t(building.choose(stage, "unrolled", counts, by_rule));
}

/// The nest of a tile; answers with the loops that are left outside.
Cut tile_nest(Building& building, RuleStage const& stage, Target const& target, Tile const& tile) {
  Cut cut = cut_axes(building, stage, tile);
  std::vector<std::string> order = cut.outer;
  std::vector<std::pair<std::string, int64_t>> sums = loops_of_sums(building, stage);
  ask_for_order(building, stage, "sum_order", sums);
  size_t unrolled = ask_for_unrolled(building, stage, target, tile, sums);
  for (auto const& [name, extent] : sums) order.push_back(name);
  order.insert(order.end(), cut.copies.begin(), cut.copies.end());
  if (!cut.lanes.empty()) order.push_back(cut.lanes);
  std::string list;
  for (std::string const& name : order) list += (list.empty() ? "" : ", ") + reference(stage, name);
  if (order.size() > 1) building.step(fmt::format("reorder({})", list));
  if (!cut.lanes.empty()) building.step(fmt::format("vectorize({})", reference(stage, cut.lanes)));
  for (std::string const& name : cut.copies)
    building.step(fmt::format("unroll({})", reference(stage, name)));
  for (size_t i = sums.size() - unrolled; i < sums.size(); ++i)
    building.step(fmt::format("unroll({})", reference(stage, sums[i].first)));
  return cut;
}

void split_sum_rule(Building& building, RuleStage const& stage, Target const& target,
                    int64_t width) {
  auto partial = partial_sums(building, stage, width);
  if (!partial) return;
  Tile tile = choose_tile(building, *partial, target, width);
  Cut cut = tile_nest(building, *partial, target, tile);
  // The lanes of one sum lie in a row.
  building.step(fmt::format("transform_layout({}, layout={})", partial->block,
                            with_last(partial->spatial.size(), 0)));
  if (!cut.outer.empty()) join_sums(building, stage, reference(*partial, cut.outer.back()));
  if (stage.points() >= (building.is_brief() ? 8 : 1) * kWorthThreads)
    building.parallel(*partial, cut.extents, target.hardware.unit().count);
}

}  // namespace

bool reduction_rule(Building& building, RuleStage const& stage, RuleStage const* reader,
                    Target const& target, int64_t width) {
  if (stage.spatial.empty()) return false;
  if (auto joined = vector_product_rule(building, stage, reader, target, width)) return *joined;
  if (sums_along_memory(stage, width) && building.may_split_sums()) {
    split_sum_rule(building, stage, target, width);
    return false;
  }
  Tile tile = choose_tile(building, stage, target, width);
  skip_padding(building, stage, tile);
  // Lanes along another dimension than the last: the tile is stored lane by lane, and what takes
  // the sums out of it turns them.
  bool turned = tile.lanes > 1 && tile.vector + 1 < stage.spatial.size();
  std::string epilogue = epilogue_of(building, stage, reader, turned);
  Cut cut = tile_nest(building, stage, target, tile);
  bool may_join = !epilogue.empty() && !cut.outer.empty();
  bool joined = may_join && (turned || building.choose(stage, "join", true)) &&
                join_epilogue(building, stage, epilogue, cut.outer.back(), tile.lanes);
  if (turned)
    building.step(fmt::format("transform_layout({}, layout={})", stage.block,
                              with_last(stage.spatial.size(), tile.vector)));
  if (stage.points() >= kWorthThreads)
    building.parallel(stage, cut.extents, target.hardware.unit().count);
  return joined && reader;
}

}  // namespace tw
