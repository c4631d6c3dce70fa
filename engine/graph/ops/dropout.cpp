#include <fmt/format.h>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return x; });
}

ReferenceResult reference(Attributes const&, Arrays inputs) { return std::vector{inputs[0]}; }

Result<Converted> from_onnx(ForeignContext const& context) {
  if (input_given(context, 2) && context.constants[2].empty())
    return unsupported(
        fmt::format("whether it drops anything is computed ('{}'); where the model "
                    "holds false, or nothing, it can be run",
                    context.node.inputs[2]));
  if (input_given(context, 2) && context.constants[2].value_at(0) != 0)
    return unsupported("dropout in training mode");
  return keep_inputs(context, 1);
}

}  // namespace

Operator const& op_dropout() {
  static Operator const op{
      .name = "dropout",
      .doc = "The tensor itself: nothing is dropped at inference.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_same,
      .compute = compute,
      .reference = reference,
      .onnx = "Dropout",
      .onnx_attributes = {{"consumed_inputs", 1, 5},
                          {"is_test", 1, 6},
                          {"ratio", 1, 11},
                          {"seed", 12}},
      .from_onnx = from_onnx,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
