#include <fmt/format.h>

#include "engine/graph/function.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

Result<std::string> body(ForeignContext const& context) {
  return fmt::format(R"(gate = Swish<alpha={:.17e}>(a)
                        y = Mul(gate, b))",
                     ops::onnx_number(context.node, "alpha", 1));
}

}  // namespace

FunctionOperator const& function_swi_glu() {
  static FunctionOperator const function{
      .onnx = "SwiGLU",
      .doc = "swish(a) * b.",
      .onnx_attributes = {{"alpha", 28}},
      .inputs = {"a", "b"},
      .outputs = {"y"},
      .body = body,
  };
  return function;
}

}  // namespace tw
