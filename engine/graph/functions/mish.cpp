#include "engine/graph/function.h"

namespace tw {
namespace {

Result<std::string> body(ForeignContext const&) {
  return R"(soft = Softplus(x)
            bent = Tanh(soft)
            y = Mul(x, bent))";
}

}  // namespace

FunctionOperator const& function_mish() {
  static FunctionOperator const function{
      .onnx = "Mish",
      .doc = "x * tanh(log(1 + e^x)).",
      .onnx_attributes = {},
      .inputs = {"x"},
      .outputs = {"y"},
      .body = body,
  };
  return function;
}

}  // namespace tw
