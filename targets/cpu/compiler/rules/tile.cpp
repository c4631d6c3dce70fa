#include "targets/cpu/compiler/rules/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kMostIdle = 32;        // one lane in so many
constexpr int64_t kLongRow = 4;          // vectors that hide the latency of an addition
constexpr double kTermsToTurn = 9;       // as many terms of a sum take the time of turning it
constexpr double kPackedIsBetter = 1.1;  // measured at 16 to 512 channels
constexpr int64_t kBusy = 12;            // sums that keep the multiply-adds busy,
constexpr int64_t kOperands = 4;         // and registers for what they read

/// An expression speaks of the iterator only as v // P; the answer is P. 0: otherwise, too.
int64_t only_by_groups(Expr const& e, std::string const& iter) {
  int64_t group = 0;
  bool otherwise = false;
  walk(e, [&](Expr const& x) {
    auto const* node = x.as<Binary>();
    int64_t by = 0;  // of no division
    if (node && node->op == BinaryOp::kFloorDiv) by = as_int(node->b).value_or(0);
    auto const* v = by != 0 ? node->a.as<Variable>() : x.as<Variable>();
    if (!v || v->name != iter) return true;
    otherwise = otherwise || by == 0 || (group != 0 && group != by);
    group = by;
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

/// Half of the registers hold sums, where few terms are added: they wait for memory. Else as many
/// as two multiply-adds a cycle need that take five, where there are so many. What an epilogue
/// keeps across the loop spills none of them. (28 of 32 was 1.3 times slower than 14 on a
/// 64-channel 3x3 convolution, whose inner loop counts to 3; 12 of 16 was 1.7 times slower than 8
/// on a depthwise one.)
int64_t most_sums(RuleStage const& stage, int64_t registers) {
  int64_t half = std::max<int64_t>(4, registers / 2);
  return stage.terms() <= kFewTerms ? half : std::max(half, std::min(kBusy, registers - kOperands));
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

/// Another axis than the rule's along which a vector is a broadcast or contiguous in every read.
void ask_for_lanes(Building& building, RuleStage const& stage, int64_t width, Tile& tile) {
  std::vector<std::string> names;
  for (RuleAxis const& axis : stage.spatial) {
    int64_t block = 0;
    if (axis.extent > 1 && contiguous(stage, axis, width, block)) names.push_back(axis.name);
  }
  std::string const by_rule = stage.spatial[tile.vector].name;
  std::string chosen = building.choose(stage, "lanes_along", names, by_rule);
  if (chosen == by_rule) return;
  auto axis = std::ranges::find(stage.spatial, chosen, &RuleAxis::name);
  int64_t block = 0;
  contiguous(stage, *axis, width, block);
  tile.vector = size_t(axis - stage.spatial.begin());
  tile.lanes = lanes_for(block, width);
}

/// Other counts of vectors and copies than the rule's. Sums that do not fit the registers would be
/// spilled in the innermost loop.
void ask_for_copies(Building& building, RuleStage const& stage, Target const& target, Tile& tile) {
  auto const& axes = stage.spatial;
  int64_t most = target.registers(), along = axes[tile.vector].extent;
  int64_t room = std::min(most, (along + tile.lanes - 1) / tile.lanes);
  tile.vectors =
      building.choose(stage, "vectors", counts_up_to(std::min<int64_t>(room, 8)), tile.vectors);
  int64_t sums = tile.vectors;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i == tile.vector || axes[i].extent == 1) continue;
    tile.factors[i] =
        building.choose(stage, "copies." + axes[i].name,
                        counts_up_to(std::min(most, axes[i].extent)), tile.factors[i]);
    sums *= tile.factors[i];
  }
  if (sums + tile.vectors + 1 > most && stage.terms() > kFewTerms)
    building.reject("registers", fmt::format("{} sums and {} operands do not fit {} registers",
                                             sums, tile.vectors + 1, most));
}

/// The axis that counts vectors of lanes where a layout has blocks of them, [o, .., b]: what the
/// lanes read moves with it, and some scalar does not. Nothing: there is none of an even extent.
std::optional<size_t> axis_of_blocks(RuleStage const& stage, Tile const& tile) {
  std::string const lanes = "v" + stage.spatial[tile.vector].name;
  if (stage.spatial[tile.vector].extent != tile.lanes) return std::nullopt;
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    if (i == tile.vector || stage.spatial[i].extent % 2 != 0) continue;
    std::string const name = "v" + stage.spatial[i].name;
    bool together = true, shares = false;
    walk_exprs(stage.node->body, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      if (!read || read->buffer->name == stage.block) return true;
      bool along = std::ranges::any_of(
          read->indices, [&](Expr const& index) { return uses_variable(index, lanes); });
      bool moves = std::ranges::any_of(
          read->indices, [&](Expr const& index) { return uses_variable(index, name); });
      together = together && along == moves;
      shares = shares || !along;
      return true;
    });
    if (together && shares) return i;
  }
  return std::nullopt;
}

Tile tile_by_rule(Building& building, RuleStage const& stage, Target const& target, int64_t width) {
  Tile tile;
  auto const& axes = stage.spatial;
  choose_lanes(stage, width, tile);
  ask_for_lanes(building, stage, width, tile);
  // Two vectors of lanes share each scalar of the other operand; in a long axis some lanes of the
  // last pair may be idle.
  int64_t along = axes[tile.vector].extent;
  int64_t idle = (2 * width - along % (2 * width)) % (2 * width);
  bool pairs = tile.lanes == width && kMostIdle * idle <= along;
  tile.vectors = pairs ? 2 : 1;
  int64_t room = most_sums(stage, target.registers()) / tile.vectors;
  tile.factors.assign(axes.size(), 1);
  tile.blocks = axis_of_blocks(stage, tile);
  if (tile.blocks) tile.factors[*tile.blocks] = 2, room /= 2;
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
      if (i == tile.vector || i == tile.blocks || axes[i].extent == 1) continue;
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

}  // namespace

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

Tile choose_tile(Building& building, RuleStage const& stage, Target const& target, int64_t width) {
  Tile tile = tile_by_rule(building, stage, target, width);
  ask_for_copies(building, stage, target, tile);
  return tile;
}

}  // namespace tw
