#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/rules/steps.h"
#include "targets/vta/compiler/rules/tiles.h"
#include "targets/vta/compiler/stages/places.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {
namespace {

/// Elements that an instruction had better go through.
constexpr int64_t kLeastPart = 96;

/// A product, and element by element what is made of its sums, tile by tile.
class ProductSchedule {
public:
  ProductSchedule(Schedule plain, ProductStage stage, Configuration const& configuration,
                  Decisions& decisions, StepMemo& memo)
      : stage_(std::move(stage)),
        configuration_(configuration),
        decisions_(decisions),
        memo_(memo),
        steps_(std::move(plain), decisions.budget(), memo) {}

  /// Nothing where a step is refused, or no tile has room.
  std::optional<Schedule> run() {
    inline_between();
    if (steps_.failed() || !find_result()) return {};
    if (!choose_tiles()) return {};
    if (decisions_.rejection()) return steps_.schedule();
    place_operands();
    cut_result();
    bring_sums();
    if (!steps_.failed()) order_sums();
    if (!steps_.failed()) bring_operands();
    return steps_.failed() ? std::nullopt : std::optional(steps_.schedule());
  }

private:
  /// Stages between the sums and the result become part of the result's expression.
  void inline_between() {
    bool after = false;
    std::vector<std::string> between;
    for (ir::BlockSite const& site : ir::blocks_of(steps_.program().body)) {
      if (after) between.push_back(site.block->name);
      after = after || site.block->name == stage_.block;
    }
    if (!between.empty()) result_ = between.back(), between.pop_back();
    for (std::string const& block : between) steps_.take(fmt::format("compute_inline({})", block));
  }

  /// The result's loops, one for each spatial axis, then lanes.
  bool find_result() {
    if (result_.empty()) return false;
    ir::BlockSite site = steps_.site(result_);
    if (site.loops.size() != stage_.spatial + lanes_of_sums()) return false;
    for (size_t i = 0; i < site.loops.size(); ++i) {
      loops_.push_back(site.loops[i]->name());
      if (i < stage_.spatial && ir::as_int(site.loops[i]->extent) != stage_.axes[i].extent)
        return false;
    }
    std::set<std::string> seen{stage_.block};
    ir::walk_reads(site.block->body, [&](ir::Touched const& at) {
      if (at.buffer->name == sums_of() || !seen.insert(at.buffer->name).second) return;
      operands_.push_back(at.buffer->name);
      epilogue_.operands.push_back(dims_of(site, at));
    });
    epilogue_.operations = int(operands_.size()) + count_operations(site.block->body);
    return true;
  }
  size_t lanes_of_sums() const { return configuration_.batch() > 1 ? 2 : 1; }
  std::string sums_of() const {
    return steps_.site(stage_.block).block->body.to<ir::Store>().buffer->name;
  }
  static int count_operations(ir::Stmt const& body) {
    int count = 0;
    ir::walk_exprs(body, [&](ir::Expr const& e) {
      count += e.as<ir::Binary>() && e.type() == DType::kI32;
      return true;
    });
    return count;
  }
  std::vector<OperandDim> dims_of(ir::BlockSite const& site, ir::Touched const& at) const {
    std::vector<OperandDim> dims;
    auto shape = ir::constant_shape(*at.buffer);
    for (size_t d = 0; d + lanes_of_sums() < at.indices.size(); ++d) {
      OperandDim dim{shape ? (*shape)[d] : 1, std::vector<int64_t>(stage_.axes.size())};
      arith::Linear index = arith::to_linear(at.indices[d]);
      for (size_t i = 0; i < stage_.spatial; ++i)
        dim.factors[i] = index.factor_of(site.block->iters[i].name());
      dims.push_back(std::move(dim));
    }
    return dims;
  }

  std::string knob(std::string const& what) const { return stage_.block + "." + what; }

  bool choose_tiles() {
    auto best = memo_.tiles(steps_.schedule(),
                            [&] { return best_tiles(stage_, epilogue_, configuration_); });
    if (!best) return false;
    tiles_ = *best;
    for (size_t i = 0; i <= stage_.spatial && i < stage_.axes.size(); ++i)
      tiles_.tile[i] = decisions_.choose(knob("tile." + stage_.axes[i].loop),
                                         divisors_of(stage_.axes[i].extent), tiles_.tile[i]);
    std::vector<std::string> threads{"none"};
    for (size_t i = 0; i < stage_.spatial; ++i)
      if (stage_.axes[i].extent / tiles_.tile[i] % 2 == 0) threads.push_back(stage_.axes[i].loop);
    std::string preset =
        tiles_.thread_axis < 0 ? "none" : stage_.axes[size_t(tiles_.thread_axis)].loop;
    if (std::ranges::find(threads, preset) == threads.end()) preset = "none";
    std::string chosen = decisions_.choose(knob("threads"), threads, preset);
    tiles_.thread_axis = -1;
    for (size_t i = 0; i < stage_.spatial; ++i)
      if (stage_.axes[i].loop == chosen) tiles_.thread_axis = int(i);
    choose_parts();
    choose_order();
    if (cycles_of(stage_, epilogue_, configuration_, tiles_) < 1e300) return true;
    decisions_.reject("memory", "the tiles have no room in the accelerator's memories");
    return true;
  }

  /// Results leave part by part: one is stored while the next one is computed. Small parts cost
  /// more than they gain.
  void choose_parts() {
    int inner = 0;     // loops within a tile
    int64_t part = 1;  // elements of an iteration of the first one
    for (size_t i = 0; i < stage_.spatial; ++i) {
      int64_t extent = stage_.axes[i].extent, tile = tiles_.tile[i];
      if (inner > 0) part *= tile;
      inner += extent == tile ? extent > 1 : tile > 1;
    }
    in_parts_ = inner > 1 && decisions_.choose(knob("parts"), part >= kLeastPart);
  }

  /// Rows outside channels: a tile's data is read again for the next channels, and may be in the
  /// cache then; else a tile's weights are for the next rows.
  void choose_order() {
    for (size_t i = 0; i + 1 < stage_.spatial; ++i)
      for (OperandDim const& dim : stage_.weight_dims)
        if (dim.factors[i] != 0) channels_ = i;
    if (!channels_) return;
    bool several = true;
    for (size_t i : {*channels_, *channels_ + 1})
      several = several && stage_.axes[i].extent > tiles_.tile[i];
    if (!several) return channels_.reset();
    std::string preset = missed(*channels_, true) < missed(*channels_, false) ? "rows" : "channels";
    if (decisions_.choose(knob("order"), {"channels", "rows"}, preset) == "channels")
      channels_.reset();
  }

  /// Bytes that come from main memory itself: what is too large for the cache does so each time
  /// that it is gone through, and the inner loop's operand is once for each turn of the outer loop.
  double missed(size_t channels, bool rows_outside) const {
    auto bytes = [&](std::vector<OperandDim> const& dims, Memory memory) {
      auto all = double(configuration_.element_bytes_in_dram(memory));
      for (OperandDim const& dim : dims) all *= double(dim.extent);
      return all;
    };
    auto turns = [&](size_t axis) { return double(stage_.axes[axis].extent / tiles_.tile[axis]); };
    double data = bytes(stage_.data_dims, Memory::kInp),
           weights = bytes(stage_.weight_dims, Memory::kWgt);
    double& again = rows_outside ? weights : data;
    if (again > double(TimingConstants().cache_bytes))
      again *= turns(rows_outside ? channels + 1 : channels);
    return data + weights;
  }

  void place_operands() {
    steps_.take(fmt::format("set_scope({}, scope={})", stage_.block, kAccScope));
    if (stage_.padding.empty())
      data_block_ = steps_.copy(stage_.block, stage_.data, kInpScope);
    else if (steps_.take(fmt::format("set_scope({}, scope={})", stage_.padding, kInpScope)))
      data_block_ = stage_.padding;
    weight_block_ = steps_.copy(stage_.block, stage_.weights, kWgtScope);
    for (std::string const& operand : operands_)
      operand_blocks_.push_back(steps_.copy(result_, operand, kAccScope));
  }
  /// The result's loops: threads, then over tiles, then within a tile.
  void cut_result() {
    std::vector<std::string> threads, outer, inner;
    for (size_t i = 0; i < stage_.spatial; ++i) {
      std::string const loop = loops_[i], name = result_ + "." + loop;
      int64_t count = stage_.axes[i].extent / tiles_.tile[i];
      std::string over = name;
      if (count == 1) {
        // A loop of one iteration may stand outside: something must when there is one tile.
        (stage_.axes[i].extent == 1 ? outer : inner).push_back(name);
        continue;
      }
      if (tiles_.tile[i] > 1) {
        steps_.take(
            fmt::format("{0}.0, {0}.1 = split({1}, factor={2})", name, name, tiles_.tile[i]));
        over = name + ".0";
        inner.push_back(name + ".1");
      }
      if (tiles_.thread_axis == int(i)) {
        thread_ = name + ".t";
        steps_.take(
            fmt::format("{}, {} = split({}, factor={})", thread_, name + ".o", over, count / 2));
        threads.push_back(thread_);
        over = name + ".o";
      }
      outer.push_back(over);
      if (channels_ && i == *channels_ + 1) std::swap(outer[outer.size() - 2], outer.back());
    }
    std::vector<std::string> order = threads;
    order.insert(order.end(), outer.begin(), outer.end());
    if (!order.empty()) attach_ = order.back();
    order.insert(order.end(), inner.begin(), inner.end());
    for (size_t i = stage_.spatial; i < loops_.size(); ++i)
      order.push_back(result_ + "." + loops_[i]);
    steps_.take(fmt::format("reorder({})", fmt::join(order, ", ")));
    if (!thread_.empty()) steps_.take(fmt::format("bind({}, axis=vthread)", thread_));
    if (in_parts_) steps_.take(fmt::format("unroll({})", inner.front()));
  }

  void bring_sums() {
    if (attach_.empty() || steps_.failed()) return;
    attach_id_ = find_loop(steps_.program(), attach_).value().loop->id;
    steps_.take(fmt::format("compute_at({}, {})", stage_.block, attach_));
    for (std::string const& block : operand_blocks_)
      steps_.take(fmt::format("compute_at({}, {})", block, attach_));
  }

  /// The loop of the sums' nest that an iterator runs with; empty: it has one iteration only.
  std::string loop_of(ir::BlockSite const& site, std::string const& iterator) const {
    for (ir::IterVar const& iter : site.block->iters) {
      if (iter.name() != iterator) continue;
      arith::Linear binding = arith::to_linear(iter.binding);
      for (size_t i = site.loops.size(); i-- > 0 && site.loops[i]->id != attach_id_;)
        if (binding.factor_of(site.loops[i]->name()) == 1)
          return reference_of(steps_.program(), site.loops[i]->id);
    }
    return {};
  }

  /// Around loads the cut sums, then the other sums, the tile, and lanes.
  void order_sums() {
    steps_.are_of_one_point();
    size_t first = stage_.spatial;
    bool sums = first < stage_.axes.size();
    if (sums && tiles_.tile[first] > 1 && tiles_.tile[first] < stage_.axes[first].extent) {
      std::string loop = loop_of(steps_.site(stage_.block), stage_.axes[first].iterator);
      steps_.take(fmt::format("{0}.0, {0}.1 = split({0}, factor={1})", loop, tiles_.tile[first]));
      over_ = loop + ".0";
    }
    ir::BlockSite site = steps_.site(stage_.block);
    std::vector<std::string> order;
    for (size_t i = first; i < stage_.axes.size(); ++i)
      if (std::string loop = loop_of(site, stage_.axes[i].iterator); !loop.empty()) {
        if (i == first && over_.empty() && tiles_.tile[i] == 1) over_ = loop;
        if (i == first && !over_.empty() && over_ != loop) order.push_back(over_);
        order.push_back(loop);
      }
    for (size_t i = 0; i < first; ++i)
      if (std::string loop = loop_of(site, stage_.axes[i].iterator); !loop.empty())
        order.push_back(loop);
    std::string lane;
    for (std::string const& one : stage_.lanes)
      if (std::string loop = loop_of(site, one); !loop.empty()) {
        order.push_back(loop);
        if (lane.empty()) lane = loop;
      }
    steps_.take(fmt::format("reorder({})", fmt::join(order, ", ")));
    if (steps_.failed()) return;
    steps_.take(fmt::format("decompose_reduction({})", order.front()));
    if (over_.empty()) over_ = order.front(), around_all_ = true;
    lane_ = lane;
  }
  void bring_operands() {
    // Sums that are not cut take their operands once for each tile.
    std::string where = around_all_ ? attach_ : over_;
    for (std::string const& block : {data_block_, weight_block_})
      if (!where.empty()) steps_.take(fmt::format("compute_at({}, {})", block, where));
    steps_.take(fmt::format("tensorize({}, intrinsic=gemm)", lane_));
  }

  ProductStage stage_;
  Configuration const& configuration_;
  Decisions& decisions_;
  StepMemo& memo_;
  Steps steps_;
  std::string result_;
  std::vector<std::string> loops_;  ///< of the result's plain nest
  std::vector<std::string> operands_, operand_blocks_;
  Epilogue epilogue_;
  Tiles tiles_;
  std::string data_block_, weight_block_, attach_, thread_, over_, lane_;
  ir::LoopId attach_id_;
  bool around_all_ = false, in_parts_ = false;
  std::optional<size_t> channels_;  ///< the axis whose loop runs within that of the next one
};

}  // namespace

std::optional<Schedule> product_schedule(Schedule const& plain, Configuration const& configuration,
                                         Decisions& decisions, StepMemo& memo) {
  auto stage = product_stage(plain.program(), configuration);
  if (!stage) return {};
  return ProductSchedule(plain, std::move(*stage), configuration, decisions, memo).run();
}

}  // namespace tw::vta
