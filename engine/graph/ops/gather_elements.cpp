#include <fmt/format.h>

#include "engine/graph/shared/indexing.h"
#include "engine/tensor/integers.h"

namespace tw::op_gather_elements {
namespace {

using namespace ops;

/// The axis; the shapes agree in all others, or the indices are shorter there.
Result<size_t> checked_axis(Attributes const& attributes, Shape const& from, Shape const& indices) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), from.size()));
  bool fits = from.size() == indices.size();
  for (size_t i = 0; fits && i < from.size(); ++i)
    fits = int64_t(i) == axis || indices[i] <= from[i];
  if (!fits)
    return unfit(fmt::format("indices of shape {} for a tensor of shape {} along axis {}",
                             to_text(indices), to_text(from), axis));
  return size_t(axis);
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  TRY(checked_axis(attributes, inputs[0]->shape, inputs[1]->shape));
  if (!is_integer(inputs[1]->type)) return unfit("the indices are not integers");
  return one(inputs[0]->type, inputs[1]->shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape from = shape_of(inputs[0]), shape = shape_of(inputs[1]);
  TRY_ASSIGN(size_t axis, checked_axis(attributes, from, shape));
  std::vector<te::Axis> axes = output_axes(shape);
  std::vector<ir::Expr> at = te::vars(axes);
  at[axis] = safe_index(ir::load(inputs[1], te::vars(axes)), from[axis]);
  return single(te::compute(name, axes, ir::load(inputs[0], at), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const &from = inputs[0].shape(), &shape = inputs[1].shape();
  TRY_ASSIGN(size_t axis, checked_axis(attributes, from, shape));
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), shape));
  std::vector<int64_t> strides = row_major_strides(from);
  auto size = size_t(size_of(out.type()));
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t source = 0, rest = i;
    for (size_t k = shape.size(); k-- > 0; rest /= shape[k])
      if (k != axis) source += rest % shape[k] * strides[k];
    TRY_ASSIGN(int64_t index, checked_index(integer_at(inputs[1], i), from[axis]));
    source += index * strides[axis];
    std::copy_n(static_cast<std::byte const*>(inputs[0].data()) + size_t(source) * size, size,
                static_cast<std::byte*>(out.data()) + size_t(i) * size);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape from = random_shape(rng, rank, 4), shape = from;
  size_t axis = size_t(rng.below(int64_t(rank)));
  for (size_t i = 0; i < rank; ++i) shape[i] = rng.between(1, i == axis ? 6 : from[i]);
  return {{{"axis", int64_t(axis) - (rng.below(2) ? int64_t(rank) : 0)}},
          {random_array(rng, from), random_indices(rng, shape, from[axis])}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "gather_elements",
      .doc =
          "Elements selected along one axis: each element of the indices gives the position for "
          "its own place.",
      .fusion = Fusion::kInjective,
      .inputs = {"X", "I"},
      .attributes = {{"axis", "the indexed axis"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_gather_elements
