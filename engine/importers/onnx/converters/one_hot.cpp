#include "engine/importers/onnx/converters.h"
#include "engine/tensor/integers.h"

namespace tw::onnx_one_hot {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (!input_given(context, 1) || !input_given(context, 2))
    return unsupported("the number of classes is missing");
  NDArray const& depth = context.constants[1];
  if (depth.empty()) return known_at_run_time("the number of classes");
  if (depth.size() != 1) return unsupported("several numbers of classes");
  Converted converted = keep_inputs(
      context, 1,
      {{"axis", foreign_integer(context.node, "axis", -1)}, {"depth", integer_at(depth, 0)}});
  converted.inputs.push_back(context.node.inputs[2]);
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "OneHot", .attributes = {{"axis", 9}}, .op = "one_hot", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_one_hot
