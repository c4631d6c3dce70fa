#include "engine/importers/onnx/converters.h"

namespace tw::onnx_batch_norm {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (foreign_integer(context.node, "training_mode", 0) != 0)
    return unsupported("batch normalization in training mode");
  if (foreign_integer(context.node, "spatial", 1) == 0)
    return unsupported("batch normalization per element (spatial=0)");
  return keep_inputs(context, 5, {{"epsilon", foreign_number(context.node, "epsilon", 1e-5)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "BatchNormalization",
       .attributes = {{"consumed_inputs", 1, 5},
                      {"epsilon"},
                      {"is_test", 1, 6},
                      {"momentum"},
                      {"spatial", 1, 8},
                      {"training_mode", 14}},
       .op = "batch_norm",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_batch_norm
