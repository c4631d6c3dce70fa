#include <fmt/format.h>

#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_one_hot {
namespace {

using namespace ops;

constexpr int64_t kMostClasses = int64_t(1) << 31;

Result<size_t> new_axis(Attributes const& attributes, Shape const& indices) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), indices.size() + 1));
  return size_t(axis);
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  TRY_ASSIGN(size_t axis, new_axis(attributes, inputs[0]->shape));
  int64_t depth = integer(attributes, "depth");
  if (depth < 1 || depth > kMostClasses) return unfit(fmt::format("{} classes", depth));
  if (inputs[0]->type == DType::kBool) return unfit("the indices are bools");
  if (inputs[1]->shape != Shape{2})
    return unfit(
        fmt::format("values of shape {}, but two values are needed", to_text(inputs[1]->shape)));
  Shape shape = inputs[0]->shape;
  shape.insert(shape.begin() + int64_t(axis), depth);
  TRY(element_count(shape));
  return one(inputs[1]->type, shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(size_t axis, new_axis(attributes, shape));
  int64_t depth = integer(attributes, "depth");
  shape.insert(shape.begin() + int64_t(axis), depth);
  std::vector<te::Axis> axes = output_axes(shape);
  std::vector<ir::Expr> at = te::vars(axes);
  ir::Expr place = at[axis];
  at.erase(at.begin() + int64_t(axis));
  ir::Expr index = ir::cast(DType::kI64, ir::load(inputs[0], at));
  index = ir::select(index < 0, index + depth, index);
  ir::Expr body =
      ir::select(ir::binary(ir::BinaryOp::kEq, index, place), ir::load(inputs[1], {ir::int_imm(1)}),
                 ir::load(inputs[1], {ir::int_imm(0)}));
  return single(te::compute(name, std::move(axes), body, name));
}

/// An index outside of [-depth, depth) names no class.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& indices = inputs[0];
  Shape shape = indices.shape();
  TRY_ASSIGN(size_t axis, new_axis(attributes, shape));
  int64_t depth = integer(attributes, "depth"), inner = 1;
  for (size_t i = axis; i < shape.size(); ++i) inner *= shape[i];
  shape.insert(shape.begin() + int64_t(axis), depth);
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[1].type(), shape));
  for (int64_t i = 0; i < out.size(); ++i) copy_element(out, i, inputs[1], 0);
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t given = integer_at(indices, i), place = given < 0 ? given + depth : given;
    if (place < 0 || place >= depth) continue;
    copy_element(out, (i / inner * depth + place) * inner + i % inner, inputs[1], 1);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 3));
  int64_t depth = rng.between(1, 5);
  NDArray indices = random_array(rng, random_shape(rng, rank, 4), DType::kI64);
  for (int64_t i = 0; i < indices.size(); ++i)
    indices.set_value(i, double(rng.between(-depth - 1, depth)));
  return {{{"axis", rng.between(-int64_t(rank) - 1, int64_t(rank))}, {"depth", depth}},
          {indices, random_array(rng, {2})}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "one_hot",
      .doc =
          "Along a new axis, one value at the position given by the index, and another value "
          "elsewhere.",
      .fusion = Fusion::kInjective,
      .inputs = {"I", "values"},
      .attributes = {{"axis", "the new axis"}, {"depth", "its extent"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_one_hot
