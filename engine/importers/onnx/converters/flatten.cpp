#include "engine/importers/onnx/converters.h"

namespace tw::onnx_flatten {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"axis", foreign_integer(context.node, "axis", 1)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Flatten", .attributes = {{"axis"}}, .op = "flatten", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_flatten
