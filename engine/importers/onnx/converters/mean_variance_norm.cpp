#include "engine/importers/onnx/converters.h"

namespace tw::onnx_mean_variance_norm {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"axes", foreign_integers(context.node, "axes", {0, 2, 3})}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "MeanVarianceNormalization",
       .attributes = {{"axes", 9}},
       .op = "mean_variance_norm",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_mean_variance_norm
