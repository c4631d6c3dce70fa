#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/rules.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kWorthThreads = 65536;  // iterations
constexpr int64_t kMostCopies = 64;       // of an epilogue's statement
constexpr int64_t kLongRow = 4;           // vectors that hide the latency of an addition
constexpr double kTermsToTurn = 9;        // as many terms of a sum take the time of turning it
constexpr double kPackedIsBetter = 1.1;   // measured at 16 to 512 channels

/// An expression speaks of the iterator only as v // P; the answer is P. 0: otherwise, too.
int64_t only_by_groups(Expr const& e, std::string const& iter) {
  int64_t group = 0;
  bool otherwise = false;
  walk(e, [&](Expr const& x) {
    auto const* node = x.as<Binary>();
    auto by = node && node->op == BinaryOp::kFloorDiv ? as_int(node->b) : std::nullopt;
    auto const* v = by ? node->a.as<Variable>() : x.as<Variable>();
    if (!v || v->name != iter) return true;
    otherwise = otherwise || !by || (group != 0 && group != *by);
    group = by.value_or(0);
    return false;
  });
  return otherwise ? 0 : group;
}

/// How one index moves with an iterator: 0 not at all, 1 to the next element, 2 otherwise. Packed
/// dimensions count as one: v // b outside and v % b last is 1 within blocks of b. What moves from
/// group to group of whole vectors stands still within each.
int movement(Load const& read, std::string const& iter, int64_t width, int64_t& block) {
  int moves = 0;
  for (size_t d = 0; d < read.indices.size(); ++d) {
    Expr const& index = read.indices[d];
    if (!uses_variable(index, iter)) continue;
    auto const* node = index.as<Binary>();
    auto by = node ? as_int(node->b) : std::nullopt;
    bool last = d + 1 == read.indices.size();
    if (node && by && node->op == BinaryOp::kFloorDiv && !last) continue;
    if (int64_t group = only_by_groups(index, iter); group > 1 && group % width == 0) continue;
    if (node && by && node->op == BinaryOp::kFloorMod && last) {
      block = std::min(block, *by);
      moves = std::max(moves, 1);
      continue;
    }
    moves = std::max(moves, last && arith::to_linear(index).factor_of(iter) == 1 ? 1 : 2);
  }
  return moves;
}

/// A vector along the axis is a broadcast or contiguous in every read; `block` is how many elements
/// lie side by side.
bool contiguous(RuleStage const& stage, RuleAxis const& axis, int64_t width, int64_t& block) {
  bool good = true;
  block = axis.extent;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    bool own = read && read->buffer->name == stage.block;  // the sum itself: in registers
    if (read && !own) good = good && movement(*read, "v" + axis.name, width, block) < 2;
    return true;
  });
  return good;
}

/// Which axes become lanes and copies of the register tile.
struct Tile {
  size_t vector = 0;  // index of the axis of lanes
  int64_t lanes = 1;
  int64_t vectors = 1;           // of lanes, side by side
  std::vector<int64_t> factors;  // copies per axis
};

/// Lanes: of the axes whose reads are contiguous the one that fills vectors best. Packed in vectors
/// is better than not, since packed weights are read line after line, and rows of an image page
/// after page; but a tile whose lanes are not the last axis has to be turned at the end of its
/// sums. Of equals the last. Without any the last axis, with a stride.
void choose_lanes(RuleStage const& stage, int64_t width, Tile& tile) {
  auto const& axes = stage.spatial;
  tile.vector = axes.size() - 1;
  double best = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t block = 0;
    if (axes[i].extent == 1 || !contiguous(stage, axes[i], width, block)) continue;
    int64_t lanes = lanes_for(block, width);
    // Guarded lanes do nothing in the last vector.
    double rounds = std::ceil(double(axes[i].extent) / double(lanes));
    double filled = double(axes[i].extent) / (rounds * double(width));
    double worth = block < axes[i].extent ? kPackedIsBetter * filled : filled;
    if (i + 1 < axes.size()) worth /= 1 + kTermsToTurn / double(stage.terms());
    if (worth >= best) best = worth, tile.vector = i, tile.lanes = lanes;
  }
  if (best > 0 || axes[tile.vector].extent == 1) return;
  // With a stride a guarded vector is read lane by lane.
  int64_t extent = axes[tile.vector].extent, whole = divisor(extent, width);
  tile.lanes = 2 * whole >= std::min(extent, width) ? whole : lanes_for(extent, width);
}

/// How many neighbours along an axis share each vector that is read along the lanes: the whole
/// extent where that vector does not depend on the axis, a group where it depends on v // P, and 1
/// where every copy reads its own.
int64_t sharing(RuleStage const& stage, RuleAxis const& lanes, RuleAxis const& axis) {
  int64_t shared = 1;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name == stage.block) return true;
    bool along = false, moves = false;
    int64_t group = axis.extent;
    for (Expr const& index : read->indices) {
      along = along || uses_variable(index, "v" + lanes.name);
      if (!uses_variable(index, "v" + axis.name)) continue;
      int64_t by = only_by_groups(index, "v" + axis.name);
      moves = moves || by == 0;
      group = std::min(group, by);
    }
    if (along && !moves) shared = std::max(shared, group);
    return true;
  });
  return shared;
}

/// How many reads each term of the sum takes.
int operands(RuleStage const& stage) {
  int count = 0;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    count += read && read->buffer->name != stage.block;
    return true;
  });
  return count;
}

/// How many copies along an axis: many, with few of them idle in a last, guarded tile. 13 is cut
/// into 7 and 6, 55 into 8s.
int64_t copies_of(int64_t extent, int64_t room) {
  int64_t best = 1;
  double most = 0;
  for (int64_t f = 1; f <= std::min(room, extent); ++f) {
    double busy = double(extent) / double((extent + f - 1) / f * f);
    double worth = busy * (1 - 0.5 / double(f));
    if (worth > most) most = worth, best = f;
  }
  return best;
}

Tile choose_tile(RuleStage const& stage, Target const& target, int64_t width) {
  Tile tile;
  auto const& axes = stage.spatial;
  choose_lanes(stage, width, tile);
  // Two vectors of lanes share each scalar of the other operand; in a long axis one may be left.
  int64_t along = axes[tile.vector].extent;
  bool pairs = tile.lanes == width && along % (along < 32 * width ? 2 * width : width) == 0;
  tile.vectors = pairs ? 2 : 1;
  // Half of the registers hold sums: enough to hide the latency of a multiply-add, and what an
  // epilogue keeps across the loop spills none of them. (28 of 32 was 1.3 times slower than 14 on
  // a 64-channel 3x3 convolution, whose inner loop counts to 3.)
  int64_t room = std::max<int64_t>(4, target.registers() / 2) / tile.vectors;
  tile.factors.assign(axes.size(), 1);
  // Copies along the innermost axes that reuse a vector already read; without any along others, in
  // a window first along the lanes: it waits for memory, which gives long rows faster than columns.
  bool pools = operands(stage) < 2;
  for (bool reuse : {true, false}) {
    if (!reuse && stage.terms() <= kFewTerms) {
      room *= tile.vectors;
      int64_t extent = axes[tile.vector].extent;
      tile.vectors = copies_of((extent + tile.lanes - 1) / tile.lanes, room);
      room = pools && tile.vectors >= kLongRow ? 1 : room / tile.vectors;
    }
    for (size_t i = axes.size(); i-- > 0 && room >= 2;) {
      if (i == tile.vector || axes[i].extent == 1) continue;
      int64_t shared = sharing(stage, axes[tile.vector], axes[i]);
      if ((shared > 1) != reuse) continue;
      bool groups = shared > 1 && shared < axes[i].extent;  // whole tiles in each group
      tile.factors[i] = groups ? divisor(shared, room + room / 4) : copies_of(axes[i].extent, room);
      room /= tile.factors[i];
    }
    if (std::ranges::any_of(tile.factors, [](int64_t f) { return f > 1; })) break;
  }
  return tile;
}

/// Loops of the tiled nest by what they are for.
struct Cut {
  std::vector<std::string> outer, copies;
  std::vector<std::pair<std::string, int64_t>> extents;  // of the outer ones
  std::string lanes;
};

Cut cut_axes(Building& building, RuleStage const& stage, Tile const& tile) {
  Cut cut;
  std::string pair;
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
      cut.copies.push_back(inner);
      continue;
    }
    auto [vectors, lanes] =
        building.split(stage, {inner, std::min(factor, axis.extent)}, tile.lanes);
    pair = vectors;
    cut.lanes = lanes;
  }
  cut.extents.insert(cut.extents.end(), reusing.begin(), reusing.end());
  for (auto const& [name, extent] : cut.extents) cut.outer.push_back(name);
  // Innermost: a scalar of the other operand is used for both vectors before the next is read, so
  // that only one of them takes a register.
  if (!pair.empty()) cut.copies.push_back(pair);
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
    RuleStage partial{name, site.block, {{lanes, width}}, stage.reduce};
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

/// The nest of a tile; answers with the loops that are left outside.
Cut tile_nest(Building& building, RuleStage const& stage, Tile const& tile) {
  Cut cut = cut_axes(building, stage, tile);
  std::vector<std::string> order = cut.outer;
  for (RuleAxis const& axis : stage.reduce) order.push_back(axis.name);
  order.insert(order.end(), cut.copies.begin(), cut.copies.end());
  if (!cut.lanes.empty()) order.push_back(cut.lanes);
  std::string list;
  for (std::string const& name : order) list += (list.empty() ? "" : ", ") + reference(stage, name);
  if (order.size() > 1) building.step(fmt::format("reorder({})", list));
  if (!cut.lanes.empty()) building.step(fmt::format("vectorize({})", reference(stage, cut.lanes)));
  for (std::string const& name : cut.copies)
    building.step(fmt::format("unroll({})", reference(stage, name)));
  return cut;
}

void split_sum_rule(Building& building, RuleStage const& stage, Target const& target,
                    int64_t width) {
  auto partial = partial_sums(building, stage, width);
  if (!partial) return;
  Tile tile = choose_tile(*partial, target, width);
  Cut cut = tile_nest(building, *partial, tile);
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
  Tile tile = choose_tile(stage, target, width);
  // Lanes along another dimension than the last: the tile is stored lane by lane, and what takes
  // the sums out of it turns them.
  bool turned = tile.lanes > 1 && tile.vector + 1 < stage.spatial.size();
  std::string epilogue = epilogue_of(building, stage, reader, turned);
  Cut cut = tile_nest(building, stage, tile);
  bool joined = !epilogue.empty() && !cut.outer.empty() &&
                join_epilogue(building, stage, epilogue, cut.outer.back(), tile.lanes);
  if (turned)
    building.step(fmt::format("transform_layout({}, layout={})", stage.block,
                              with_last(stage.spatial.size(), tile.vector)));
  if (stage.points() >= kWorthThreads)
    building.parallel(stage, cut.extents, target.hardware.unit().count);
  return joined && reader;
}

}  // namespace tw
