#include "engine/importers/onnx/converters.h"

namespace tw::onnx_shape {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  for (char const* name : {"start", "end"})
    if (foreign_has(context.node, name)) attributes[name] = foreign_integer(context.node, name, 0);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Shape",
       .attributes = {{"end", 15}, {"start", 15}},
       .op = "shape",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_shape
