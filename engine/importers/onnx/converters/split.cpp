#include "engine/importers/onnx/converters.h"

namespace tw::onnx_split {
namespace {

using namespace rules;

/// The list of sizes is an attribute or the second operand, as the opset has it.
Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"axis", foreign_integer(context.node, "axis", 0)}};
  size_t count = context.node.outputs.size();
  if (foreign_has(context.node, "split")) {
    attributes["sizes"] = foreign_integers(context.node, "split");
  } else if (input_given(context, 1)) {
    TRY_ASSIGN(attributes["sizes"], constant_integers(context, 1, "the list of sizes"));
  } else {
    attributes["parts"] = foreign_integer(context.node, "num_outputs", int64_t(count));
  }
  Converted converted = keep_inputs(context, 1, attributes);
  for (size_t i = 0; i < count; ++i) converted.each_output.push_back({{"index", int64_t(i)}});
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Split",
       .attributes = {{"axis"}, {"num_outputs", 18}, {"split", 1, 12}},
       .op = "split",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_split
