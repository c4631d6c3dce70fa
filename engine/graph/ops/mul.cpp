#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  TRY_ASSIGN(Shape shape, broadcast_all(inputs));
  return one(inputs[0]->type, shape);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Shape shape, broadcast(shape_of(inputs[0]), shape_of(inputs[1])));
  std::vector<te::Axis> axes = output_axes(shape);
  return single(te::compute(
      name, axes, load_broadcast(inputs[0], axes) * load_broadcast(inputs[1], axes), name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return zip_elements(inputs[0], inputs[1], [](double a, double b) { return a * b; });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  TRY(check_old_broadcast(context));
  return keep_inputs(context, 2);
}

RandomCase random_case(Rng& rng) {
  Shape a = random_shape(rng, size_t(rng.between(1, 4)), 4), b = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (rng.below(4) == 0) a[i] = 1;
    if (rng.below(4) == 0) b[i] = 1;
  }
  b.erase(b.begin(), b.begin() + rng.below(int64_t(b.size())));
  return {{}, {random_array(rng, a), random_array(rng, b)}};
}

}  // namespace

Operator const& op_mul() {
  static Operator const op{
      .name = "mul",
      .doc = "Product of two tensors, element by element, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .commutative = true,
      .inputs = {"X", "Z"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Mul",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
