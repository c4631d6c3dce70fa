#include <fmt/format.h>

#include <cstring>

#include "engine/graph/shared/elements.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, inputs.size()));
  for (TensorInfo const* input : inputs)
    if (!input) return unfit("an operand before the last one is missing");
  Shape shape = inputs[0]->shape;
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  for (size_t i = 1; i < inputs.size(); ++i) {
    Shape other = inputs[i]->shape;
    if (inputs[i]->type != inputs[0]->type)
      return unfit(fmt::format("operands of types {} and {} cannot be concatenated",
                               to_text(inputs[0]->type), to_text(inputs[i]->type)));
    if (other.size() != shape.size())
      return unfit(
          fmt::format("shapes {} and {} cannot be concatenated", to_text(shape), to_text(other)));
    int64_t extent = other[size_t(axis)];
    other[size_t(axis)] = shape[size_t(axis)];
    if (other != shape || __builtin_add_overflow(extent, shape[size_t(axis)], &extent))
      return unfit(fmt::format("shapes {} and {} cannot be concatenated along axis {}",
                               to_text(shape), to_text(inputs[i]->shape), axis));
    shape[size_t(axis)] = extent;
  }
  return one(inputs[0]->type, shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  shape[size_t(axis)] = 0;
  for (te::Buffer const& input : inputs) shape[size_t(axis)] += shape_of(input)[size_t(axis)];
  std::vector<te::Axis> axes = output_axes(shape);
  ir::Expr body;
  int64_t start = shape[size_t(axis)];
  for (size_t i = inputs.size(); i > 0;
       --i) {  // from the last: each one chooses itself or what follows
    int64_t end = start;
    start -= shape_of(inputs[i - 1])[size_t(axis)];
    std::vector<ir::Expr> indices = te::vars(axes);
    indices[size_t(axis)] = indices[size_t(axis)] - start;
    ir::Expr here = ir::load(inputs[i - 1], indices);
    body = body ? ir::select(axes[size_t(axis)].var() < end, here, body) : here;
  }
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape shape = inputs[0].shape();
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  int64_t outer = 1, row = 0;
  for (int64_t i = 0; i < axis; ++i) outer *= shape[size_t(i)];
  shape[size_t(axis)] = 0;
  for (NDArray const& input : inputs) {
    shape[size_t(axis)] += input.shape()[size_t(axis)];
    row += outer ? input.byte_size() / outer : 0;
  }
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), shape));
  auto* to = static_cast<char*>(out.data());
  for (int64_t o = 0; o < outer; ++o)
    for (NDArray const& input : inputs) {
      int64_t bytes = input.byte_size() / outer;
      std::memcpy(to, static_cast<char const*>(input.data()) + o * bytes, size_t(bytes));
      to += bytes;
    }
  TW_ASSERT(to == static_cast<char*>(out.data()) + row * outer, "the parts fill the result");
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape shape = random_shape(rng, rank, 4);
  int64_t axis = rng.below(int64_t(rank));
  RandomCase result{{{"axis", rng.below(2) ? axis : axis - int64_t(rank)}}, {}};
  for (int64_t i = rng.between(1, 4); i > 0; --i) {
    shape[size_t(axis)] = rng.between(1, 4);
    result.inputs.push_back(random_array(rng, shape));
  }
  return result;
}

}  // namespace

Operator const& op_concat() {
  static Operator const op{
      .name = "concat",
      .doc = "Tensors concatenated along an axis.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"axis", "axis along which they are concatenated"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
