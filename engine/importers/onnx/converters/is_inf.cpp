#include "engine/importers/onnx/converters.h"

namespace tw::onnx_is_inf {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"positive", foreign_integer(context.node, "detect_positive", 1)},
                      {"negative", foreign_integer(context.node, "detect_negative", 1)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "IsInf",
       .attributes = {{"detect_negative", 10}, {"detect_positive", 10}},
       .op = "is_inf",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_is_inf
