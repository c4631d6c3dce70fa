#include "targets/vta/compiler/rules/product_stage.h"

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw::vta {
namespace {

using namespace ir;

/// The byte tensor that a factor of the product reads.
Load const* widened_bytes(Expr const& e) {
  auto const* cast = e.as<Cast>();
  auto const* read = cast && cast->type == DType::kI32 ? cast->a.as<Load>() : nullptr;
  return read && read->buffer->type == DType::kI8 && read->indices.size() >= 2 ? read : nullptr;
}

/// The name of the variable that the index is; empty: it is none.
std::string variable(Expr const& e) {
  auto const* v = e.as<Variable>();
  return v ? v->name : std::string();
}
std::string from_end(std::vector<Expr> const& indices, size_t back) {
  return variable(indices[indices.size() - back]);
}

struct Sides {
  Load const *data, *weights;
};
/// Weights are read [.., j, i] where sums are written [.., b, j] and data is read [.., b, i].
std::optional<Sides> sides_of(ReductionInfo const& sum) {
  auto const* product = sum.value.as<Binary>();
  if (sum.op != BinaryOp::kAdd || !product || product->op != BinaryOp::kMul) return {};
  Load const *a = widened_bytes(product->a), *b = widened_bytes(product->b);
  if (!a || !b || sum.store->indices.size() < 2) return {};
  std::string column = from_end(sum.store->indices, 1);
  if (column.empty()) return {};
  if (from_end(b->indices, 2) == column) return Sides{a, b};
  if (from_end(a->indices, 2) == column) return Sides{b, a};
  return {};
}

std::vector<OperandDim> dims_of(BufferNode const& tensor, std::vector<Expr> const& indices,
                                std::vector<ProductAxis> const& axes, size_t lanes) {
  std::vector<OperandDim> dims;
  auto shape = constant_shape(tensor);
  for (size_t d = 0; d + lanes < indices.size(); ++d) {
    OperandDim dim{shape ? (*shape)[d] : 1, {}};
    arith::Linear index = arith::to_linear(indices[d]);
    for (ProductAxis const& axis : axes) dim.factors.push_back(index.factor_of(axis.iterator));
    dims.push_back(std::move(dim));
  }
  return dims;
}

/// The loop of a plain nest that an iterator is bound to.
std::string loop_of(BlockSite const& site, IterVar const& iter) {
  std::string name = variable(iter.binding);
  bool is_loop = std::ranges::any_of(site.loops, [&](For const* l) { return l->name() == name; });
  return is_loop ? name : std::string();
}

std::string maker_of(Program const& program, std::string const& tensor) {
  for (BlockSite const& site : blocks_of(program.body))
    if (auto const* store = site.block->body.as<Store>(); store && store->buffer->name == tensor)
      return site.block->name;
  return {};
}

std::optional<ProductStage> stage_of(Program const& program, BlockSite const& site,
                                     Configuration const& configuration) {
  auto sum = reduction_of(*site.block);
  std::optional<Sides> sides = sum ? sides_of(*sum) : std::nullopt;
  if (!sides) return {};
  ProductStage stage{.block = site.block->name,
                     .data = sides->data->buffer->name,
                     .weights = sides->weights->buffer->name};
  stage.padding = maker_of(program, stage.data);
  // Elements of one image have one row: no axis goes through it.
  bool rows = configuration.batch() > 1;
  std::string row = rows ? from_end(sum->store->indices, 2) : std::string(),
              column = from_end(sum->store->indices, 1), term = from_end(sides->data->indices, 1);
  std::vector<ProductAxis> reduced;
  for (IterVar const& iter : site.block->iters) {
    std::string const& name = iter.name();
    int64_t extent = as_int(iter.extent).value_or(0);
    bool lane = name == column || name == term || name == row;
    std::string loop = loop_of(site, iter);
    if (loop.empty() || extent < 1) return {};
    if (lane && extent != (name == row ? configuration.batch() : configuration.block())) return {};
    ProductAxis axis{name, loop, extent, iter.kind != IterKind::kSpatial};
    if (lane)
      stage.lanes.push_back(name);
    else
      (axis.reduce ? reduced : stage.axes).push_back(axis);
  }
  if (stage.lanes.size() != (rows ? 3 : 2)) return {};
  stage.spatial = stage.axes.size();
  stage.axes.insert(stage.axes.end(), reduced.begin(), reduced.end());
  stage.data_dims = dims_of(*sides->data->buffer, sides->data->indices, stage.axes, rows ? 2 : 1);
  stage.weight_dims = dims_of(*sides->weights->buffer, sides->weights->indices, stage.axes, 2);
  stage.sum_dims = dims_of(*sum->store->buffer, sum->store->indices, stage.axes, rows ? 2 : 1);
  return stage;
}

}  // namespace

int64_t OperandDim::reach(std::vector<int64_t> const& tile) const {
  int64_t reach = 1;
  for (size_t i = 0; i < factors.size(); ++i) reach += std::abs(factors[i]) * (tile[i] - 1);
  return std::min(reach, extent);
}

std::optional<ProductStage> product_stage(Program const& program,
                                          Configuration const& configuration) {
  for (BlockSite const& site : blocks_of(program.body))
    if (auto stage = stage_of(program, site, configuration)) return stage;
  return {};
}

}  // namespace tw::vta
