#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_swish {
namespace {

using namespace rules;

Result<std::string> body(ForeignContext const& context) {
  double alpha = foreign_number(context.node, "alpha", 1);
  if (alpha == 1) return "gate = Sigmoid(x)\ny = Mul(x, gate)";
  return fmt::format(R"(number = Constant<value_float={:.17e}>()
                        alpha = CastLike(number, x)
                        scaled = Mul(alpha, x)
                        gate = Sigmoid(scaled)
                        y = Mul(x, gate))",
                     alpha);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Swish",
       .attributes = {{"alpha", 24}},
       .function =
           FunctionBody{
               .doc = "x / (1 + e^(-alpha x)).", .inputs = {"x"}, .outputs = {"y"}, .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_swish
