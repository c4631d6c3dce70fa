#include <fmt/format.h>

#include "engine/graph/function.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

Result<std::string> body(ForeignContext const& context) {
  double alpha = ops::onnx_number(context.node, "alpha", 1);
  if (alpha == 1) return "gate = Sigmoid(x)\ny = Mul(x, gate)";
  return fmt::format(R"(number = Constant<value_float={:.17e}>()
                        alpha = CastLike(number, x)
                        scaled = Mul(alpha, x)
                        gate = Sigmoid(scaled)
                        y = Mul(x, gate))",
                     alpha);
}

}  // namespace

FunctionOperator const& function_swish() {
  static FunctionOperator const function{
      .onnx = "Swish",
      .doc = "x / (1 + e^(-alpha x)).",
      .onnx_attributes = {{"alpha", 24}},
      .inputs = {"x"},
      .outputs = {"y"},
      .body = body,
  };
  return function;
}

}  // namespace tw
