#include <fmt/format.h>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

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
  static Operator const op = of_the_same({
      .name = "dropout",
      .doc = "The tensor itself: nothing is dropped at inference.",
      .onnx = "Dropout",
      .onnx_attributes =
          {{"consumed_inputs", 1, 5}, {"is_test", 1, 6}, {"ratio", 1, 11}, {"seed", 12}},
      .from_onnx = from_onnx,
  });
  return op;
}

}  // namespace tw
