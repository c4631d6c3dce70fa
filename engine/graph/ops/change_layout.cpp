#include <fmt/format.h>

#include "engine/graph/computes.h"
#include "engine/graph/shared/elements.h"

namespace tw::op_change_layout {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  return one(inputs[0]->type, inputs[0]->shape);
}

Status takes(Attributes const&, Arrangement const& arrangement) {
  Shape const& shape = arrangement.inputs[0].shape;
  if (arrangement.input(0).fits(shape.size()) && arrangement.output(0).fits(shape.size()))
    return {};
  return not_taken(fmt::format("a tensor of shape {} from {} to {}", to_text(shape),
                               to_text(arrangement.input(0)), to_text(arrangement.output(0))));
}

/// Per dimension of the shape: where in it the stored element at `at` is.
std::vector<ir::Expr> logical_indices(std::vector<te::Axis> const& at,
                                      std::vector<Layout::Axis> const& axes, size_t rank) {
  std::vector<ir::Expr> indices(rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    ir::Expr part = axes[i].step == 1 ? at[i].var() : at[i].var() * axes[i].step;
    ir::Expr& index = indices[axes[i].dim];
    index = index ? index + part : part;
  }
  return indices;
}

/// Where the layout stores the element at these indices.
std::vector<ir::Expr> stored_indices(std::vector<ir::Expr> const& logical, Layout const& layout,
                                     Shape const& shape) {
  std::vector<Layout::Axis> axes = layout.axes(shape.size());
  Shape extents = layout.stored(shape);
  std::vector<ir::Expr> indices;
  for (size_t i = 0; i < axes.size(); ++i) {
    ir::Expr index = logical[axes[i].dim];
    if (axes[i].step > 1) index = ir::floor_div(index, ir::int_imm(axes[i].step));
    // The outermost part of a dimension, at a place of the rank, has nothing above it.
    if (i >= shape.size()) index = ir::floor_mod(index, ir::int_imm(extents[i]));
    indices.push_back(index);
  }
  return indices;
}

/// Stored axes in order; an outer one has the name that its dimension has elsewhere.
std::vector<te::Axis> stored_axes(Layout const& layout, Shape const& shape) {
  std::vector<te::Axis> of_shape = output_axes(shape), result;
  std::vector<Layout::Axis> axes = layout.axes(shape.size());
  Shape extents = layout.stored(shape);
  for (size_t i = 0; i < axes.size(); ++i) {
    te::Axis axis = i < shape.size() ? of_shape[axes[i].dim]
                                     : te::Axis{fmt::format("b{}", i - shape.size()), 1, "block"};
    axis.extent = extents[i];
    result.push_back(axis);
  }
  return result;
}

/// What holds where there is an element of the shape: a last block that is not filled holds zeros.
/// Null: everywhere.
ir::Expr inside(std::vector<ir::Expr> const& at, Layout const& layout, Shape const& shape) {
  std::vector<Layout::Axis> axes = layout.axes(shape.size());
  Shape extents = layout.stored(shape), held(shape.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) held[axes[i].dim] *= extents[i];
  ir::Expr all;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (held[dim] == shape[dim]) continue;
    ir::Expr fits = at[dim] < shape[dim];
    all = all ? all && fits : fits;
  }
  return all;
}

Result<Tensors> compute(Attributes const&, Arrangement const& arrangement, Buffers inputs,
                        std::string const& name) {
  Shape const& shape = arrangement.inputs[0].shape;
  Layout from = arrangement.input(0), to = arrangement.output(0);
  std::vector<te::Axis> axes = stored_axes(to, shape);
  std::vector<ir::Expr> at = logical_indices(axes, to.axes(shape.size()), shape.size());
  ir::Expr element = ir::load(inputs[0], stored_indices(at, from, shape));
  if (ir::Expr held = inside(at, to, shape))
    element = ir::select(held, element, immediate(0, element.type()));
  return single(te::compute(name, axes, element, name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) { return std::vector{inputs[0]}; }

/// Any order of the dimensions, up to two of them in blocks.
Layout random_layout(Rng& rng, size_t rank) {
  std::vector<size_t> order;
  for (size_t i = 0; i < rank; ++i) order.insert(order.begin() + rng.below(int64_t(i) + 1), i);
  std::vector<Layout::Block> blocks;
  for (int64_t i = rng.below(3); i > 0; --i)
    blocks.push_back({size_t(rng.below(int64_t(rank))), rng.between(1, 4)});
  return *Layout::create(order, blocks);
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 6);
  RandomCase result{{}, {random_array(rng, shape)}};
  result.layouts = {random_layout(rng, shape.size())};
  result.result_layouts = {random_layout(rng, shape.size())};
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "change_layout",
      .doc = "The same tensor in another layout; added by the compiler, never part of a model.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "each stored element is read at its place in the other layout",
                    .takes = takes,
                    .make = compute}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_change_layout
