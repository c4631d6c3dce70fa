#include "engine/importers/onnx/converters.h"

namespace tw::onnx_constant_of_shape {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  TRY_ASSIGN(attributes["shape"], constant_integers(context, 0, "the shape"));
  if (auto found = context.node.attributes.find("value"); found != context.node.attributes.end())
    if (NDArray const* given = std::get_if<NDArray>(&found->second)) attributes["value"] = *given;
  return keep_inputs(context, 0, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "ConstantOfShape",
       .attributes = {{"value", 9}},
       .op = "constant_of_shape",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_constant_of_shape
