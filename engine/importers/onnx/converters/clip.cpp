#include "engine/importers/onnx/converters.h"

namespace tw::onnx_clip {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Converted converted = keep_inputs(context, 3);
  for (char const* name : {"min", "max"})
    if (foreign_has(context.node, name))
      converted.attributes[name] = foreign_number(context.node, name, 0);
  // A constant bound becomes an attribute, so that it is a number in the kernel.
  for (size_t i = converted.inputs.size(); i > 1; --i) {
    NDArray const& constant = context.constants[i - 1];
    if (constant.size() != 1 || constant.empty() || !fits_a_double(constant)) continue;
    converted.attributes[i == 2 ? "min" : "max"] = constant.value_at(0);
    converted.inputs[i - 1].clear();
  }
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Clip",
       .attributes = {{"consumed_inputs", 1, 5}, {"max", 1, 10}, {"min", 1, 10}},
       .op = "clip",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_clip
