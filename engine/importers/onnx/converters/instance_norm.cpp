#include "engine/importers/onnx/converters.h"

namespace tw::onnx_instance_norm {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 3, {{"epsilon", foreign_number(context.node, "epsilon", 1e-5)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "InstanceNormalization",
       .attributes = {{"consumed_inputs", 1, 5}, {"epsilon"}},
       .op = "instance_norm",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_instance_norm
