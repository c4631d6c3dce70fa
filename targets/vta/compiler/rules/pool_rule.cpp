#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/product_stage.h"
#include "targets/vta/compiler/rules/result_tiles.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/stages/places.h"

namespace tw::vta {
namespace {

/// The largest, the least or the sum of windows of one tensor: an ALU instruction for each element
/// of a window; element by element what is made of that.
class PoolSchedule {
public:
  PoolSchedule(Schedule const& plain, Configuration const& configuration, Decisions& decisions,
               StepMemo& memo)
      : configuration_(configuration),
        decisions_(decisions),
        steps_(plain, decisions.budget(), memo) {}

  std::optional<Schedule> run() {
    if (!inline_others() || !find_window()) return {};
    // Windows are computed in memory of the accelerator, and leave it tile by tile.
    if (!keep_in_accelerator()) return {};
    std::vector<std::string> brought{pooled_, steps_.copy(pooled_, data_, kAccScope)};
    for (std::string const& operand : operands_)
      brought.push_back(steps_.copy(result_, operand, kAccScope));
    auto tiles =
        steps_.failed() ? std::nullopt : ResultTiles::create(steps_, result_, configuration_);
    if (!tiles || tiles->loops() != tiled_) return {};
    auto elements = [this](std::vector<int64_t> const& tile) {
      return std::accumulate(tile.begin(), tile.end(), int64_t(1 + operands_.size()),
                             std::multiplies<>()) +
             data_elements(tile);
    };
    std::string attach = tiles->cut(steps_, decisions_, elements);
    if (!attach.empty())
      for (std::string const& block : brought)
        steps_.take(fmt::format("compute_at({}, {})", block, attach));
    order_window(pooled_, attach);
    return steps_.failed() ? std::nullopt : std::optional(steps_.schedule());
  }

private:
  /// The window's stage is left, and one that makes the result of it.
  bool inline_others() {
    std::vector<std::string> others;
    for (ir::BlockSite const& site : ir::blocks_of(steps_.program().body)) {
      if (site.block->init && !pooled_.empty()) return false;
      if (site.block->init)
        pooled_ = site.block->name;
      else
        others.push_back(site.block->name);
      result_ = site.block->name;
    }
    if (pooled_.empty()) return false;
    std::erase(others, result_);
    for (std::string const& block : others) steps_.take(fmt::format("compute_inline({})", block));
    return !steps_.failed();
  }

  static bool combines_windows(ir::BinaryOp op) {
    return op == ir::BinaryOp::kMax || op == ir::BinaryOp::kMin || op == ir::BinaryOp::kAdd;
  }

  /// out = max(out, data), with data of bytes, widened where they are summed up.
  bool find_window() {
    ir::BlockSite site = steps_.site(pooled_);
    auto const* store = site.block->body.as<ir::Store>();
    auto const* update = store ? store->value.as<ir::Binary>() : nullptr;
    if (!update || !combines_windows(update->op)) return false;
    ir::Expr value = update->b;
    if (auto const* cast = value.as<ir::Cast>()) value = cast->a;
    if (auto const* select = value.as<ir::Select>()) value = select->a;
    auto const* read = value.as<ir::Load>();
    if (!read || read->buffer->type != DType::kI8) return false;
    data_ = read->buffer->name;
    if (result_ != pooled_) find_operands(store->buffer->name);
    return find_reach(*site.block, *store, *read);
  }

  /// How far windows of a tile reach in each dimension of the data but lanes.
  bool find_reach(ir::Block const& block, ir::Store const& store, ir::Load const& read) {
    size_t lanes = configuration_.batch() > 1 ? 2 : 1;
    auto shape = ir::constant_shape(*read.buffer);
    if (!shape || store.indices.size() <= lanes || read.indices.size() <= lanes) return false;
    tiled_ = store.indices.size() - lanes;
    for (size_t d = 0; d + lanes < read.indices.size(); ++d) {
      arith::Linear index = arith::to_linear(read.indices[d]);
      OperandDim dim{(*shape)[d], {}};
      for (size_t i = 0; i < tiled_; ++i) {
        auto const* iterator = store.indices[i].as<ir::Variable>();
        if (!iterator) return false;
        dim.factors.push_back(index.factor_of(iterator->name));
      }
      int64_t window = 0;
      for (ir::IterVar const& iter : block.iters)
        if (iter.kind == ir::IterKind::kReduce)
          window +=
              std::abs(index.factor_of(iter.name())) * (ir::as_int(iter.extent).value_or(1) - 1);
      data_dims_.emplace_back(std::move(dim), window);
    }
    return true;
  }

  int64_t data_elements(std::vector<int64_t> const& tile) const {
    int64_t elements = 1;
    for (auto const& [dim, window] : data_dims_)
      elements *= std::min(dim.extent, dim.reach(tile) + window);
    return elements;
  }

  /// What the result is made of beside the windows.
  void find_operands(std::string const& windows) {
    std::set<std::string> seen{windows};
    ir::walk_reads(steps_.site(result_).block->body, [&](ir::Touched const& at) {
      if (seen.insert(at.buffer->name).second) operands_.push_back(at.buffer->name);
    });
  }

  /// Windows that are the result themselves are copied out by a block of its own.
  bool keep_in_accelerator() {
    if (result_ != pooled_)
      return steps_.take(fmt::format("set_scope({}, scope={})", pooled_, kAccScope));
    std::set<std::string> before;
    for (auto const& one : ir::blocks_of(steps_.program().body)) before.insert(one.block->name);
    if (!steps_.take(fmt::format("cache_write({}, scope={})", pooled_, kAccScope))) return false;
    for (auto const& one : ir::blocks_of(steps_.program().body))
      if (!before.contains(one.block->name)) result_ = one.block->name;
    return result_ != pooled_;
  }

  /// Steps of the window outermost, each a call of its own: borders shorten its loops.
  void order_window(std::string const& pooled, std::string const& attach) {
    if (steps_.failed()) return;
    ir::BlockSite site = steps_.site(pooled);
    std::optional<ir::LoopId> around;
    if (!attach.empty()) around = find_loop(steps_.program(), attach).value().loop->id;
    std::vector<std::string> window, rest;
    bool inside = !around;
    for (ir::For const* loop : site.loops) {
      if (inside) {
        std::string name = reference_of(steps_.program(), loop->id);
        (is_of_window(site, *loop) ? window : rest).push_back(name);
      }
      inside = inside || loop->id == *around;
    }
    if (window.empty()) return;
    std::vector<std::string> order = window;
    order.insert(order.end(), rest.begin(), rest.end());
    steps_.take(fmt::format("reorder({})", fmt::join(order, ", ")));
    steps_.take(fmt::format("decompose_reduction({})", window.front()));
    for (std::string const& loop : window) steps_.take(fmt::format("unroll({})", loop));
  }

  bool is_of_window(ir::BlockSite const& site, ir::For const& loop) const {
    for (ir::IterVar const& iter : site.block->iters)
      if (iter.kind == ir::IterKind::kReduce &&
          arith::to_linear(iter.binding).factor_of(loop.name()) != 0)
        return true;
    return false;
  }

  Configuration const& configuration_;
  Decisions& decisions_;
  Steps steps_;
  std::string pooled_, result_, data_;  ///< two blocks and a tensor
  std::vector<std::string> operands_;
  size_t tiled_ = 0;  ///< dimensions of the result but lanes
  /// Of the data but lanes, with what windows reach beyond the tile.
  std::vector<std::pair<OperandDim, int64_t>> data_dims_;
};

}  // namespace

std::optional<Schedule> pool_schedule(Schedule const& plain, Configuration const& configuration,
                                      Decisions& decisions, StepMemo& memo) {
  return PoolSchedule(plain, configuration, decisions, memo).run();
}

}  // namespace tw::vta
