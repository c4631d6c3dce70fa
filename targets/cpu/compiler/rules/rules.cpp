#include "targets/cpu/compiler/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

/// One loop of a stage's plain nest.
struct Axis {
  std::string name;
  int64_t extent = 1;
  IterKind kind = IterKind::kSpatial;
};

struct Stage {
  std::string block;
  Block const* node = nullptr;
  std::vector<Axis> spatial, reduce;
};

std::optional<Stage> stage_of(BlockSite const& site) {
  Stage stage{site.block->name, site.block, {}, {}};
  for (size_t i = 0; i < site.loops.size() && i < site.block->iters.size(); ++i) {
    IterVar const& iter = site.block->iters[i];
    auto extent = as_int(site.loops[i]->extent);
    if (!extent || iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque)
      return std::nullopt;
    Axis axis{site.loops[i]->name(), *extent, iter.kind};
    (iter.kind == IterKind::kReduce ? stage.reduce : stage.spatial).push_back(axis);
  }
  return stage;
}

/// The largest divisor of `extent` up to `most`; 1 when the extent is prime.
int64_t divisor(int64_t extent, int64_t most) {
  for (int64_t d = std::min(extent, most); d > 1; --d)
    if (extent % d == 0) return d;
  return 1;
}

/// Lanes for the innermost spatial axis: a divisor that fills at least half a vector, or a guarded
/// vector where the extent has none.
int64_t lanes_for(int64_t extent, int64_t width) {
  int64_t d = divisor(extent, width);
  if (d * 2 >= std::min(extent, width)) return d;
  return std::min(extent, width);
}

class Script {
public:
  explicit Script(std::string const& kernel)
      : text_(fmt::format("tilewright schedule 1\nfor {}\n", kernel)) {}
  void line(std::string const& step) { text_ += step + "\n"; }
  std::string take() { return std::move(text_); }

private:
  std::string text_;
};

std::string reference(Stage const& stage, std::string const& loop) {
  return stage.block + "." + loop;
}

/// Splits an axis unless the factor is its whole extent; answers (outer or "", inner).
std::pair<std::string, std::string> split(Script& script, Stage const& stage, Axis const& axis,
                                          int64_t factor) {
  if (factor >= axis.extent) return {"", axis.name};
  script.line(fmt::format("{}.0, {}.1 = split({}, factor={})", axis.name, axis.name,
                          reference(stage, axis.name), factor));
  return {axis.name + ".0", axis.name + ".1"};
}

/// The outermost axis with enough iterations for every core runs in parallel.
void run_parallel(Script& script, Stage const& stage,
                  std::vector<std::pair<std::string, int64_t>> const& outer, Target const& target) {
  if (target.hardware.cores < 2) return;
  for (auto const& [name, extent] : outer)
    if (extent >= target.hardware.cores)
      return script.line(fmt::format("parallel({})", reference(stage, name)));
}

/// Stages that reduce nothing: vectors along the last axis, threads along the first.
void elementwise(Script& script, Stage const& stage, Target const& target, int64_t width) {
  if (stage.spatial.empty()) return;
  Axis const& last = stage.spatial.back();
  int64_t points = 1;
  std::vector<std::pair<std::string, int64_t>> outer;
  for (Axis const& axis : stage.spatial) points *= axis.extent;
  for (size_t i = 0; i + 1 < stage.spatial.size(); ++i)
    outer.push_back({stage.spatial[i].name, stage.spatial[i].extent});
  if (last.extent > 1) {
    auto [rest, lanes] = split(script, stage, last, lanes_for(last.extent, width));
    script.line(fmt::format("vectorize({})", reference(stage, lanes)));
    if (!rest.empty()) outer.push_back({rest, last.extent / lanes_for(last.extent, width)});
  }
  if (points >= 16384) run_parallel(script, stage, outer, target);
}

/// How an axis moves through what a stage reads: the largest stride of 0 and 1 means that a vector
/// along it is a broadcast or contiguous everywhere.
bool contiguous(Stage const& stage, Axis const& axis) {
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

/// Reductions: a register tile of spatial points (lanes along one axis, copies along others) inside
/// of the reduction loops.
void reduction(Script& script, Stage const& stage, Target const& target, int64_t width) {
  if (stage.spatial.empty()) return;
  // Lanes: the last axis whose reads are contiguous; else the last one with a stride.
  size_t vector = stage.spatial.size() - 1;
  for (size_t i = stage.spatial.size(); i-- > 0;)
    if (stage.spatial[i].extent > 1 && contiguous(stage, stage.spatial[i])) {
      vector = i;
      break;
    }
  int64_t lanes =
      stage.spatial[vector].extent > 1 ? lanes_for(stage.spatial[vector].extent, width) : 1;
  int64_t registers = std::max(4, target.registers() - 8);
  std::vector<std::string> outer, tile;
  std::vector<std::pair<std::string, int64_t>> outer_extents;
  std::string vector_loop;
  int64_t copies = 1;
  std::vector<std::string> unrolled;
  // First choice of copies: an axis that the vector operand does not depend on (output channels).
  std::vector<int64_t> factors(stage.spatial.size(), 1);
  for (size_t i = 0; i < stage.spatial.size(); ++i)
    if (i != vector && stage.spatial[i].extent > 1 && copies == 1) {
      factors[i] = divisor(stage.spatial[i].extent, std::min<int64_t>(registers / 2, 8));
      copies = factors[i];
    }
  for (size_t i = stage.spatial.size(); i-- > 0;)
    if (i != vector && factors[i] == 1 && stage.spatial[i].extent > 1 && copies * 2 <= registers) {
      factors[i] = divisor(stage.spatial[i].extent, registers / copies);
      copies *= factors[i];
      break;
    }
  for (size_t i = 0; i < stage.spatial.size(); ++i) {
    Axis const& axis = stage.spatial[i];
    if (i == vector) {
      if (lanes == 1) {
        outer.push_back(axis.name);
        continue;
      }
      auto [rest, inner] = split(script, stage, axis, lanes);
      if (!rest.empty()) {
        outer.push_back(rest);
        outer_extents.push_back({rest, axis.extent / lanes});
      }
      vector_loop = inner;
    } else if (factors[i] > 1) {
      auto [rest, inner] = split(script, stage, axis, factors[i]);
      if (!rest.empty()) {
        outer.push_back(rest);
        outer_extents.push_back({rest, axis.extent / factors[i]});
      }
      tile.push_back(inner);
      unrolled.push_back(inner);
    } else {
      outer.push_back(axis.name);
      outer_extents.push_back({axis.name, axis.extent});
    }
  }
  std::vector<std::string> order = outer;
  for (Axis const& axis : stage.reduce) order.push_back(axis.name);
  order.insert(order.end(), tile.begin(), tile.end());
  if (!vector_loop.empty()) order.push_back(vector_loop);
  std::string list;
  for (std::string const& name : order) list += (list.empty() ? "" : ", ") + reference(stage, name);
  if (order.size() > 1) script.line(fmt::format("reorder({})", list));
  if (!vector_loop.empty())
    script.line(fmt::format("vectorize({})", reference(stage, vector_loop)));
  for (std::string const& name : unrolled)
    script.line(fmt::format("unroll({})", reference(stage, name)));
  int64_t work = 1;
  for (auto const* axes : {&stage.spatial, &stage.reduce})
    for (Axis const& axis : *axes) work *= axis.extent;
  if (work >= 65536) run_parallel(script, stage, outer_extents, target);
}

}  // namespace

Result<std::string> cpu_default_script(Program const& program, Target const& target) {
  Script script(program.name);
  for (BlockSite const& site : blocks_of(program.body)) {
    auto stage = stage_of(site);
    if (!stage) continue;
    int64_t width = target.lanes(
        site.block->body.as<Store>() ? site.block->body.as<Store>()->buffer->type : DType::kF32);
    if (stage->reduce.empty())
      elementwise(script, *stage, target, width);
    else
      reduction(script, *stage, target, width);
  }
  return script.take();
}

}  // namespace tw
