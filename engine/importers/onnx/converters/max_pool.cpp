#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/window.h"

namespace tw::onnx_max_pool {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (foreign_integer(context.node, "storage_order", 0) != 0)
    return unsupported("max_pool with column-major indices");
  TRY_ASSIGN(Attributes attributes, window_attributes(context, {}));
  attributes["ceil"] = foreign_integer(context.node, "ceil_mode", 0);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "MaxPool",
       .attributes = {{"auto_pad"},
                      {"ceil_mode", 10},
                      {"dilations", 10},
                      {"kernel_shape"},
                      {"pads"},
                      {"storage_order", 8},
                      {"strides"}},
       .op = "max_pool",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_max_pool
