#include "engine/importers/onnx/converters.h"

namespace tw::onnx_prelu {
namespace {

using namespace rules;

/// Before opset 7 a slope of [C] belongs to the channels, not to the last axis.
Result<Converted> convert(ForeignContext const& context) {
  bool per_channel = context.opset < 7 && context.ranks.size() > 1 && context.ranks[1] == 1 &&
                     context.ranks[0] != 1;
  if (per_channel && context.constants[1].size() != 1)
    return unsupported("a slope per channel, as written before opset 7");
  return keep_two(context);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "PRelu",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "prelu",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_prelu
