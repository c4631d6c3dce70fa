#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_swi_glu {
namespace {

using namespace rules;

Result<std::string> body(ForeignContext const& context) {
  return fmt::format(R"(gate = Swish<alpha={:.17e}>(a)
                        y = Mul(gate, b))",
                     foreign_number(context.node, "alpha", 1));
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "SwiGLU",
       .attributes = {{"alpha", 28}},
       .function =
           FunctionBody{
               .doc = "swish(a) * b.", .inputs = {"a", "b"}, .outputs = {"y"}, .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_swi_glu
