#include <fmt/format.h>

#include <cstring>

#include "engine/graph/shared/indexing.h"
#include "engine/tensor/integers.h"

namespace tw::op_gather {
namespace {

using namespace ops;

/// A single known index is an attribute and no operand.
Shape index_shape(Attributes const& attributes, Shape const& operand) {
  return has(attributes, "index") ? Shape{} : operand;
}

/// The indices' axes in the place of the axis that they index.
Shape gathered(Shape const& shape, Shape const& indices, int64_t axis) {
  Shape out(shape.begin(), shape.begin() + axis);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), shape.begin() + axis + 1, shape.end());
  return out;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  bool fixed = has(attributes, "index");
  TRY(expect_inputs(inputs, fixed ? 1 : 2, fixed ? 1 : 2));
  Shape const& shape = inputs[0]->shape;
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  int64_t extent = shape[size_t(axis)], index = integer(attributes, "index");
  if (fixed && (index < -extent || index >= extent))
    return unfit(fmt::format("index {} is out of range for an axis of extent {}", index, extent));
  if (!fixed && !is_integer(inputs[1]->type)) return unfit("the indices are not integers");
  Shape out = gathered(shape, index_shape(attributes, fixed ? Shape{} : inputs[1]->shape), axis);
  TRY(element_count(out));
  return one(inputs[0]->type, out);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  int64_t extent = shape[size_t(axis)];
  bool fixed = has(attributes, "index");
  Shape indices = index_shape(attributes, fixed ? Shape{} : shape_of(inputs[1]));
  std::vector<te::Axis> axes = output_axes(gathered(shape, indices, axis));
  std::vector<ir::Expr> vars = te::vars(axes);
  auto first = vars.begin() + axis, last = first + int64_t(indices.size());
  int64_t known = integer(attributes, "index");
  ir::Expr index = fixed ? ir::int_imm(known < 0 ? known + extent : known)
                         : safe_index(ir::load(inputs[1], {first, last}), extent);
  std::vector<ir::Expr> at(vars.begin(), first);
  at.push_back(index);
  at.insert(at.end(), last, vars.end());
  return single(te::compute(name, std::move(axes), ir::load(inputs[0], at), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  Shape const& shape = x.shape();
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  bool fixed = has(attributes, "index");
  int64_t extent = shape[size_t(axis)], count = fixed ? 1 : inputs[1].size(), outer = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= shape[size_t(i)];
  Shape indices = index_shape(attributes, fixed ? Shape{} : inputs[1].shape());
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), gathered(shape, indices, axis)));
  int64_t row = row_major_strides(shape)[size_t(axis)] * size_of(x.type());
  auto* to = static_cast<char*>(out.data());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < count; ++k, to += row) {
      int64_t given = fixed ? integer(attributes, "index") : integer_at(inputs[1], k);
      int64_t index = given < 0 ? given + extent : given;
      if (index < 0 || index >= extent)
        return unfit(
            fmt::format("index {} is out of range for an axis of extent {}", given, extent));
      std::memcpy(to, static_cast<char const*>(x.data()) + (o * extent + index) * row, size_t(row));
    }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 3));
  Shape shape = random_shape(rng, rank, 4);
  int64_t axis = rng.below(int64_t(rank)), extent = shape[size_t(axis)];
  RandomCase result{{{"axis", rng.below(2) ? axis : axis - int64_t(rank)}},
                    {random_array(rng, shape)}};
  auto random_index = [&] { return rng.between(-extent, extent - 1); };
  if (rank > 1 && rng.below(3) == 0) {
    result.attributes["index"] = random_index();
    return result;
  }
  Shape places = random_shape(rng, size_t(rng.between(rank > 1 ? 0 : 1, 2)), 4);
  NDArray indices = NDArray::create(rng.below(2) ? DType::kI64 : DType::kI32, places).value();
  for (int64_t i = 0; i < indices.size(); ++i) indices.set_value(i, double(random_index()));
  result.inputs.push_back(indices);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "gather",
      .doc =
          "Slices along an axis, selected by a tensor of indices. A kernel clamps an index that is "
          "out of range.",
      .fusion = Fusion::kInjective,
      .inputs = {"X", "I"},
      .attributes = {{"axis", "the indexed axis"},
                     {"index", "the single index, if it is not an operand"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_gather
