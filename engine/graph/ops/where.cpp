#include "engine/graph/shared/pointwise.h"
#include "engine/tensor/integers.h"

namespace tw::op_where {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 3, 3));
  if (inputs[0]->type != DType::kBool) return unfit("the condition is not a tensor of bools");
  TRY_ASSIGN(Shape shape, broadcast_all(inputs.subspan(1)));
  TRY_ASSIGN(shape, broadcast(shape, inputs[0]->shape));
  return one(inputs[1]->type, shape);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  Shape shape;
  for (te::Buffer const& input : inputs) {
    TRY_ASSIGN(shape, broadcast(shape, shape_of(input)));
  }
  std::vector<te::Axis> axes = output_axes(shape);
  ir::Expr body = ir::select(load_broadcast(inputs[0], axes), load_broadcast(inputs[1], axes),
                             load_broadcast(inputs[2], axes));
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const &test = inputs[0], &yes = inputs[1], &no = inputs[2];
  TRY_ASSIGN(Shape shape, broadcast(yes.shape(), no.shape()));
  TRY_ASSIGN(shape, broadcast(shape, test.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(yes.type(), shape));
  for_each_broadcast(shape, {test.shape(), yes.shape(), no.shape()},
                     [&](int64_t i, std::span<int64_t const> at) {
                       bool chosen = test.value_at(at[0]) != 0;
                       copy_element(out, i, chosen ? yes : no, chosen ? at[1] : at[2]);
                     });
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_pair(rng);
  Shape shape = result.inputs[0].shape();
  for (int64_t& extent : shape)
    if (rng.below(4) == 0) extent = 1;
  NDArray test = NDArray::create(DType::kBool, shape).value();
  for (int64_t i = 0; i < test.size(); ++i) test.set_value(i, double(rng.below(2)));
  // Where both others have extent 1, the condition alone decides.
  result.inputs.insert(result.inputs.begin(), test);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "where",
      .doc =
          "The element of the second tensor where the first is true, else of the third; broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"C", "X", "Z"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_where
