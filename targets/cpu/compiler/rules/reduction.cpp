#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/rules.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kWorthThreads = 65536;  // iterations
constexpr int64_t kMostCopies = 64;       // of an epilogue's statement

/// How an axis moves through what a stage reads: a vector along it is a broadcast or contiguous
/// everywhere.
bool contiguous(RuleStage const& stage, RuleAxis const& axis) {
  bool good = true;
  std::string iter = "v" + axis.name;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read) return true;
    for (size_t d = 0; d < read->indices.size(); ++d) {
      if (!uses_variable(read->indices[d], iter)) continue;
      int64_t factor = arith::to_linear(read->indices[d]).factor_of(iter);
      if (d + 1 < read->indices.size() || factor != 1) good = false;
    }
    return true;
  });
  return good;
}

/// Which axes become lanes and copies of the register tile.
struct Tile {
  size_t vector = 0;  // index of the axis of lanes
  int64_t lanes = 1;
  std::vector<int64_t> factors;  // copies per axis
};

Tile choose_tile(RuleStage const& stage, Target const& target, int64_t width) {
  Tile tile;
  auto const& axes = stage.spatial;
  // Lanes: the last axis whose reads are contiguous; else the last one with a stride.
  tile.vector = axes.size() - 1;
  for (size_t i = axes.size(); i-- > 0;)
    if (axes[i].extent > 1 && contiguous(stage, axes[i])) {
      tile.vector = i;
      break;
    }
  if (axes[tile.vector].extent > 1) tile.lanes = lanes_for(axes[tile.vector].extent, width);
  int64_t registers = std::max(4, target.registers() - 8), copies = 1;
  tile.factors.assign(axes.size(), 1);
  // First choice of copies: an axis that the vector operand does not depend on (output channels).
  for (size_t i = 0; i < axes.size(); ++i)
    if (i != tile.vector && axes[i].extent > 1 && copies == 1)
      copies = tile.factors[i] = divisor(axes[i].extent, std::min<int64_t>(registers / 2, 8));
  for (size_t i = axes.size(); i-- > 0;)
    if (i != tile.vector && tile.factors[i] == 1 && axes[i].extent > 1 && copies * 2 <= registers) {
      tile.factors[i] = divisor(axes[i].extent, registers / copies);
      break;
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
  auto keep = [&](std::string const& name, int64_t extent) {
    cut.outer.push_back(name);
    cut.extents.push_back({name, extent});
  };
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    RuleAxis const& axis = stage.spatial[i];
    int64_t factor = i == tile.vector ? tile.lanes : tile.factors[i];
    if (factor == 1) {
      keep(axis.name, axis.extent);
      continue;
    }
    auto [rest, inner] = building.split(stage, axis, factor);
    if (!rest.empty()) keep(rest, axis.extent / factor);
    if (i == tile.vector)
      cut.lanes = inner;
    else
      cut.copies.push_back(inner);
  }
  return cut;
}

/// Moves a stage that reads the sums to where a tile of them is finished; its lanes and copies are
/// those of the tile.
bool join_epilogue(Building& building, RuleStage const& stage, RuleStage const& epilogue,
                   std::string const& place) {
  if (!building.step(
          fmt::format("reverse_compute_at({}, {})", epilogue.block, reference(stage, place))))
    return false;
  std::vector<RuleAxis> loops = building.loops_below(epilogue.block, place);
  if (loops.empty()) return true;
  building.step(fmt::format("vectorize({})", reference(epilogue, loops.back().name)));
  int64_t copies = 1;
  for (size_t i = loops.size() - 1; i-- > 0;) {
    copies *= loops[i].extent;
    if (copies > kMostCopies) break;
    building.step(fmt::format("unroll({})", reference(epilogue, loops[i].name)));
  }
  return true;
}

}  // namespace

bool reduction_rule(Building& building, RuleStage const& stage, RuleStage const* epilogue,
                    Target const& target, int64_t width) {
  if (stage.spatial.empty()) return false;
  Cut cut = cut_axes(building, stage, choose_tile(stage, target, width));
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
  bool joined =
      epilogue && !cut.outer.empty() && join_epilogue(building, stage, *epilogue, cut.outer.back());
  if (stage.points() >= kWorthThreads) building.parallel(stage, cut.extents, target.hardware.cores);
  return joined;
}

}  // namespace tw
