#include "engine/importers/onnx/converters.h"

namespace tw::onnx_mish {
namespace {

using namespace rules;

Result<std::string> body(ForeignContext const&) {
  return R"(soft = Softplus(x)
            bent = Tanh(soft)
            y = Mul(x, bent))";
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Mish",
       .function =
           FunctionBody{
               .doc = "x * tanh(log(1 + e^x)).", .inputs = {"x"}, .outputs = {"y"}, .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_mish
