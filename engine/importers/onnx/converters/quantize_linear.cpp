#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_quantize_linear {
namespace {

using namespace rules;

/// Scales are those of the tensor or of an axis. Errors: unsupported.
Result<Attributes> scale_attributes(ForeignContext const& context) {
  if (foreign_integer(context.node, "block_size", 0) != 0)
    return unsupported("scales of blocks of a tensor");
  return Attributes{{"axis", foreign_integer(context.node, "axis", 1)}};
}

Result<Converted> quantize(ForeignContext const& context) {
  TRY_ASSIGN(Attributes attributes, scale_attributes(context));
  int64_t named = foreign_integer(context.node, "output_dtype", 0);
  if (named != 0 && !input_given(context, 2)) {
    std::optional<DType> type = onnx_dtype(named);
    if (!type) return unsupported(fmt::format("quantizing to the element type {}", named));
    attributes["type"] = std::string(to_text(*type));
  }
  return keep_inputs(context, 3, attributes);
}

Result<Converted> dequantize(ForeignContext const& context) {
  TRY_ASSIGN(Attributes attributes, scale_attributes(context));
  int64_t named = foreign_integer(context.node, "output_dtype", 0);
  if (named != 0 && context.types.size() > 1 && onnx_dtype(named) != context.types[1])
    return unsupported("floats of another type than that of their scales");
  return keep_inputs(context, 3, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "QuantizeLinear",
       .attributes = {{"axis", 13},
                      {"block_size", 21},
                      {"output_dtype", 21},
                      {"precision", 23},
                      {"saturate", 19}},
       .op = "quantize_linear",
       .convert = quantize},
      {.type = "DequantizeLinear",
       .attributes = {{"axis", 13}, {"block_size", 21}, {"output_dtype", 23}},
       .op = "dequantize_linear",
       .convert = dequantize},
  };
  return rules;
}

}  // namespace tw::onnx_quantize_linear
