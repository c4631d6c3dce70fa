#include <fmt/format.h>

#include <cstring>

#include "engine/graph/computes.h"
#include "engine/graph/shared/elements.h"

namespace tw::op_concat {
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

/// All lie in the same blocks of one dimension, whole ones in each part.
Status takes(Attributes const&, Arrangement const& arrangement) {
  if (arrangement.is_plain()) return {};
  Layout const layout = arrangement.output(0);
  size_t rank = arrangement.inputs[0].shape.size(), dim = 0;
  while (dim < rank && layout.only_block(dim).value_or(0) == 0) ++dim;
  if (dim == rank) return not_taken("parts are put together plain, or in blocks of one dimension");
  for (size_t i = 0; i < arrangement.inputs.size(); ++i)
    if (arrangement.input(i) != layout ||
        arrangement.inputs[i].shape[dim] % *layout.only_block(dim) != 0)
      return not_taken("all parts must consist of whole blocks, as the result does");
  return {};
}

/// Blocks stay as they are: along their dimension there are fewer of them, and what lies in one is
/// the last dimension.
Result<Tensors> direct(Attributes const& attributes, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(int64_t axis,
             normal_axis(integer(attributes, "axis"), arrangement.inputs[0].shape.size()));
  shape[size_t(axis)] = 0;
  for (te::Buffer const& input : inputs) shape[size_t(axis)] += shape_of(input)[size_t(axis)];
  std::vector<te::Axis> axes = output_axes(arrangement.inputs[0].shape);
  for (size_t i = 0; i < axes.size(); ++i) axes[i].extent = shape[i];
  if (shape.size() > axes.size()) axes.push_back({"b", shape.back(), "block"});
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
  size_t dim = size_t(rng.below(int64_t(rank)));
  int64_t block = rng.below(2) ? 0 : rng.between(1, 3);
  if (block > 0) shape[dim] *= block;
  for (int64_t i = rng.between(1, 4); i > 0; --i) {
    shape[size_t(axis)] = rng.between(1, 4) * (block > 0 && int64_t(dim) == axis ? block : 1);
    result.inputs.push_back(random_array(rng, shape));
  }
  if (block > 0) {
    Layout blocks = Layout::in_blocks(rank, dim, block);
    result.layouts.assign(result.inputs.size(), blocks);
    result.result_layouts = {blocks};
  }
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "concat",
      .doc = "Tensors concatenated along an axis.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"axis", "axis along which they are concatenated"}},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "each element is taken from its part; parts may be stored in blocks",
                    .takes = takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_concat
