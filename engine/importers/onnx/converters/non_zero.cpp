#include "engine/importers/onnx/converters.h"

namespace tw::onnx_non_zero {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (!input_given(context, 0)) return unsupported("the tensor is missing");
  if (context.constants[0].empty()) return known_at_run_time("the number of nonzero elements");
  return keep_inputs(context, 1);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "NonZero", .op = "non_zero", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_non_zero
