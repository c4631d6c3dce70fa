#include "engine/importers/onnx/converters.h"

namespace tw::onnx_if {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (context.node.inputs.size() != 1 || !input_given(context, 0))
    return bad_input("unsupported", "an If takes one condition");
  return keep_inputs(context, context.node.inputs.size());
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "If",
       .attributes = {{"else_branch"}, {"then_branch"}},
       .op = "if",
       .convert = convert,
       .bodies = {"then_branch", "else_branch"}},
  };
  return rules;
}

}  // namespace tw::onnx_if
