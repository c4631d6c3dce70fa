#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/window.h"

namespace tw::onnx_conv_integer {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  std::vector<int64_t> kernel;
  if (context.constants.size() > 1 && context.constants[1].shape().size() > 2)
    kernel.assign(context.constants[1].shape().begin() + 2, context.constants[1].shape().end());
  TRY_ASSIGN(Attributes attributes, window_attributes(context, kernel));
  attributes["group"] = foreign_integer(context.node, "group", 1);
  return keep_inputs(context, 4, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "ConvInteger",
       .attributes = {{"auto_pad", 10},
                      {"dilations", 10},
                      {"group", 10},
                      {"kernel_shape", 10},
                      {"pads", 10},
                      {"strides", 10}},
       .op = "conv_integer",
       .convert = convert},
      {.type = "MatMulInteger", .op = "matmul_integer", .convert = keep_first(4)},
  };
  return rules;
}

}  // namespace tw::onnx_conv_integer
