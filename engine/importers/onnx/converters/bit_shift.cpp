#include "engine/importers/onnx/converters.h"

namespace tw::onnx_bit_shift {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  std::string direction = foreign_text(context.node, "direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return unsupported("a shift in the direction '" + direction + "'");
  return keep_inputs(context, 2, {{"left", int64_t(direction == "LEFT")}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "BitShift",
       .attributes = {{"direction", 11}},
       .op = "bit_shift",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_bit_shift
