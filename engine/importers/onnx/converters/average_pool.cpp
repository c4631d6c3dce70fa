#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/window.h"

namespace tw::onnx_average_pool {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  TRY_ASSIGN(Attributes attributes, window_attributes(context, {}));
  for (int64_t dilation : integers(attributes, "dilations"))
    if (dilation != 1) return unsupported("average_pool with dilations");
  attributes.erase("dilations");
  attributes["ceil"] = foreign_integer(context.node, "ceil_mode", 0);
  attributes["count_padding"] = foreign_integer(context.node, "count_include_pad", 0);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "AveragePool",
       .attributes = {{"auto_pad"},
                      {"ceil_mode", 10},
                      {"count_include_pad", 7},
                      {"dilations", 19},
                      {"kernel_shape"},
                      {"pads"},
                      {"strides"}},
       .op = "average_pool",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_average_pool
