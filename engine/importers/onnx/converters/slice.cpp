#include "engine/importers/onnx/converters.h"

namespace tw::onnx_slice {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  if (context.opset < 10) {
    for (char const* name : {"starts", "ends", "axes"})
      if (foreign_has(context.node, name)) attributes[name] = foreign_integers(context.node, name);
    return keep_inputs(context, 1, attributes);
  }
  TRY_ASSIGN(attributes["starts"], constant_integers(context, 1, "the start of the slice"));
  TRY_ASSIGN(attributes["ends"], constant_integers(context, 2, "the end of the slice"));
  if (input_given(context, 3)) {
    TRY_ASSIGN(attributes["axes"], constant_integers(context, 3, "the list of axes"));
  }
  if (input_given(context, 4)) {
    TRY_ASSIGN(attributes["steps"], constant_integers(context, 4, "the step of the slice"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Slice",
       .attributes = {{"axes", 1, 9}, {"ends", 1, 9}, {"starts", 1, 9}},
       .op = "slice",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_slice
