#include "engine/importers/onnx/converters.h"

namespace tw::onnx_softmax {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  bool old = context.opset < 13;
  Attributes attributes{{"axis", foreign_integer(context.node, "axis", old ? 1 : -1)}};
  if (old) attributes["to_end"] = int64_t(1);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Hardmax", .attributes = {{"axis"}}, .op = "hardmax", .convert = convert},
      {.type = "LogSoftmax", .attributes = {{"axis"}}, .op = "log_softmax", .convert = convert},
      {.type = "Softmax", .attributes = {{"axis"}}, .op = "softmax", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_softmax
