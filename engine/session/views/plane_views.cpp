#include "engine/session/views/plane_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/session/views/lane_views.h"

namespace tw::session {
namespace {

constexpr size_t kMostPoints = 16384;

int64_t extent_of(ir::For const& loop) { return ir::as_int(loop.extent).value_or(1); }

AxisKind kind_of(ir::IterVar const& iter) {
  switch (iter.kind) {
    case ir::IterKind::kReduce:
      return AxisKind::kReduce;
    case ir::IterKind::kOrdered:
      return AxisKind::kOrdered;
    case ir::IterKind::kOpaque:
      return AxisKind::kOpaque;
    default:
      return AxisKind::kSpatial;
  }
}

/// As the expression has it: an iterator's name begins with a v before it.
std::string name_of(ir::IterVar const& iter) {
  std::string const& name = iter.name();
  return name.size() > 1 && name.front() == 'v' ? name.substr(1) : name;
}

PlaneAxis axis_of(ir::Program const& program, ir::BlockSite const& site, size_t number) {
  ir::IterVar const& iter = site.block->iters[number];
  PlaneAxis axis{.name = name_of(iter),
                 .role = iter.role,
                 .extent = ir::as_int(iter.extent).value_or(1),
                 .hue = int(number),
                 .kind = kind_of(iter),
                 .strides = {}};
  arith::Linear binding = arith::to_linear(iter.binding);
  for (ir::For const* loop : site.loops)
    if (int64_t factor = binding.factor_of(loop->name()); factor > 0)
      axis.strides.push_back({loop->id.value, reference_of(program, loop->id), factor,
                              LoopMark(int(loop->loop_kind))});
  return axis;
}

/// Two axes that are cut, else the two longest that nothing is summed along.
std::pair<size_t, size_t> usual_axes(ir::Program const& program, ir::BlockSite const& site) {
  std::vector<std::pair<std::tuple<bool, bool, int64_t>, size_t>> ranked;
  for (size_t i = 0; i < site.block->iters.size(); ++i) {
    PlaneAxis axis = axis_of(program, site, i);
    bool spatial = axis.kind == AxisKind::kSpatial;
    ranked.push_back({{axis.strides.size() > 1 && axis.extent > 1, spatial, axis.extent}, i});
  }
  std::ranges::stable_sort(ranked, [](auto const& a, auto const& b) { return a.first > b.first; });
  size_t first = ranked[0].second, second = ranked.size() > 1 ? ranked[1].second : first;
  return {std::max(first, second), std::min(first, second)};
}

size_t axis_named(ir::BlockSite const& site, std::string const& name, size_t otherwise) {
  for (size_t i = 0; i < site.block->iters.size(); ++i)
    if (name_of(site.block->iters[i]) == name) return i;
  return otherwise;
}

/// Goes through the loops that feed the two axes, the others at their beginning.
class Points {
public:
  Points(ir::BlockSite const& site, size_t right, size_t down, PlaneView& view)
      : site_(site), view_(view) {
    for (ir::For const* loop : site.loops) {
      evaluator_.set(evaluator_.slot(loop->name()), 0);
      if (ir::uses_variable(site.block->iters[right].binding, loop->name()) ||
          ir::uses_variable(site.block->iters[down].binding, loop->name()))
        loops_.push_back({evaluator_.slot(loop->name()), extent_of(*loop)});
    }
    right_ = evaluator_.compile(site.block->iters[right].binding);
    down_ = evaluator_.compile(site.block->iters[down].binding);
    if (site.block->predicate) guard_ = evaluator_.compile(site.block->predicate);
    go(0);
  }

private:
  void go(size_t depth) {
    if (depth == loops_.size()) return point();
    for (int64_t i = 0; i < loops_[depth].second && view_.complete; ++i) {
      evaluator_.set(loops_[depth].first, i);
      go(depth + 1);
    }
  }

  void point() {
    int64_t right = evaluator_.integer(right_, 0), down = evaluator_.integer(down_, 0);
    if (guard_.valid() && evaluator_.integer(guard_, 0) == 0) return void(++view_.skipped);
    if (view_.order.size() == kMostPoints) return void(view_.complete = false);
    view_.order.push_back({int32_t(right), int32_t(down)});
  }

  ir::BlockSite const& site_;
  PlaneView& view_;
  ir::ExprEvaluator evaluator_;
  std::vector<std::pair<int, int64_t>> loops_;  ///< slot and extent
  ir::Compiled right_, down_, guard_;
};

/// How far along an iterator the read element was written before; nothing: not by a fixed distance.
std::optional<int64_t> distance_along(std::string const& iter, std::vector<ir::Expr> const& wrote,
                                      std::vector<ir::Expr> const& read) {
  std::optional<int64_t> distance = 0;
  for (size_t d = 0; d < wrote.size() && d < read.size(); ++d) {
    arith::Linear difference =
        arith::add(arith::to_linear(wrote[d]), arith::to_linear(read[d]), -1);
    if (arith::to_linear(wrote[d]).factor_of(iter) != 1) continue;
    if (!difference.is_constant()) return std::nullopt;
    distance = difference.constant;
  }
  return distance;
}

/// Dependences of the block on itself: sums are added to in turn, recurrences read earlier steps.
void find_arrows(ir::BlockSite const& site, size_t along_right, size_t along_down,
                 PlaneView& view) {
  ir::Block const& block = *site.block;
  auto reduction = ir::reduction_of(block);
  auto add = [&](PlaneArrow arrow) {
    if (arrow.right || arrow.down) view.arrows.push_back(std::move(arrow));
  };
  for (PlaneAxis const* axis : {&view.right, &view.down}) {
    if (!reduction || axis->kind != AxisKind::kReduce) continue;
    bool along = axis == &view.right;
    add({along, !along,
         fmt::format("{}: each {} adds to what the one before left", reduction->store->buffer->name,
                     axis->name)});
    if (view.right.name == view.down.name) return;
  }
  ir::walk_writes(block.body, [&](ir::Touched const& to) {
    ir::walk_reads(block.body, [&](ir::Touched const& from) {
      if (from.buffer->name != to.buffer->name) return;
      auto right = distance_along(block.iters[along_right].name(), to.indices, from.indices);
      auto down = distance_along(block.iters[along_down].name(), to.indices, from.indices);
      if (!right || !down) return;
      add({*right, *down,
           fmt::format("{} is read where an earlier iteration wrote it", to.buffer->name)});
    });
  });
}

}  // namespace

PlaneView plane_view(ir::Program const& program, PlaneAsked const& asked) {
  PlaneView view;
  auto site = busiest_block(program);
  for (ir::BlockSite const& one : ir::blocks_of(program.body)) {
    if (one.block->iters.empty()) continue;
    view.blocks.push_back(one.block->name);
    if (one.block->name == asked.block) site = one;
  }
  if (view.blocks.empty() || !site || site->block->iters.empty()) return view;
  for (ir::IterVar const& iter : site->block->iters) view.axes.push_back(name_of(iter));
  auto [right, down] = usual_axes(program, *site);
  right = axis_named(*site, asked.right, right);
  down = axis_named(*site, asked.down, down);
  view.right = axis_of(program, *site, right);
  view.down = axis_of(program, *site, down);
  view.of = {site->block->name, view.right.name, view.down.name};
  Points(*site, right, down, view);
  find_arrows(*site, right, down, view);
  return view;
}

std::string line_for_tile(PlaneView const& view, int64_t right, int64_t down) {
  auto inner = [](PlaneAxis const& axis) -> PlaneStride const* {
    for (auto stride = axis.strides.rbegin(); stride != axis.strides.rend(); ++stride)
      if (stride->mark == LoopMark::kSerial) return &*stride;
    return nullptr;
  };
  PlaneStride const* across = inner(view.right);
  PlaneStride const* along = inner(view.down);
  if (!across || !along || across == along || view.right.name == view.down.name) return {};
  int64_t columns = right / across->stride, rows = down / along->stride;
  if (columns < 2 && rows < 2) return {};
  if (columns < 2) return fmt::format("split({}, factor={})", along->reference, rows);
  if (rows < 2) return fmt::format("split({}, factor={})", across->reference, columns);
  return fmt::format("tile({}, {}, outer_factor={}, inner_factor={})", along->reference,
                     across->reference, rows, columns);
}

}  // namespace tw::session
