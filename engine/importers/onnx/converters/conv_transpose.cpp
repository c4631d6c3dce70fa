#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/window.h"

namespace tw::onnx_conv_transpose {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  // The kernel's extents are those of the weights; any will do to read the rest.
  TRY_ASSIGN(Attributes attributes, window_attributes(context, {1}));
  attributes.erase("kernel");
  for (char const* list : {"strides", "dilations", "pads", "output_padding", "output_shape"}) {
    attributes.erase(list);
    if (foreign_has(context.node, list)) attributes[list] = foreign_integers(context.node, list);
  }
  attributes["group"] = foreign_integer(context.node, "group", 1);
  // Known from the weights where they are; kept for people.
  if (context.constants.size() > 1 && context.constants[1].shape().size() > 2)
    attributes["kernel"] = std::vector<int64_t>(context.constants[1].shape().begin() + 2,
                                                context.constants[1].shape().end());
  return keep_inputs(context, 3, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "ConvTranspose",
       .attributes = {{"auto_pad"},
                      {"dilations"},
                      {"group"},
                      {"kernel_shape"},
                      {"output_padding"},
                      {"output_shape"},
                      {"pads"},
                      {"strides"}},
       .op = "conv_transpose",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_conv_transpose
