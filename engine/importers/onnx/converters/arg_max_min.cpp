#include "engine/importers/onnx/converters.h"

namespace tw::onnx_arg_max_min {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"axis", foreign_integer(context.node, "axis", 0)},
                      {"keep", foreign_integer(context.node, "keepdims", 1)},
                      {"last", foreign_integer(context.node, "select_last_index", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "ArgMax",
       .attributes = {{"axis"}, {"keepdims"}, {"select_last_index", 12}},
       .op = "arg_max",
       .convert = convert},
      {.type = "ArgMin",
       .attributes = {{"axis"}, {"keepdims"}, {"select_last_index", 12}},
       .op = "arg_min",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_arg_max_min
