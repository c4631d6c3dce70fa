#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/window.h"

namespace tw::onnx_conv {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  std::vector<int64_t> kernel;
  if (context.constants.size() > 1 && context.constants[1].shape().size() > 2)
    kernel.assign(context.constants[1].shape().begin() + 2, context.constants[1].shape().end());
  TRY_ASSIGN(Attributes attributes, window_attributes(context, kernel));
  attributes["group"] = foreign_integer(context.node, "group", 1);
  return keep_inputs(context, 3, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Conv",
       .attributes =
           {{"auto_pad"}, {"dilations"}, {"group"}, {"kernel_shape"}, {"pads"}, {"strides"}},
       .op = "conv",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_conv
