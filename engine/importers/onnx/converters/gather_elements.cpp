#include "engine/importers/onnx/converters.h"

namespace tw::onnx_gather_elements {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 2, {{"axis", foreign_integer(context.node, "axis", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "GatherElements",
       .attributes = {{"axis", 11}},
       .op = "gather_elements",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_gather_elements
