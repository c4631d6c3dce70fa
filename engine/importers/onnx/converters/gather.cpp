#include "engine/importers/onnx/converters.h"
#include "engine/tensor/integers.h"

namespace tw::onnx_gather {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"axis", foreign_integer(context.node, "axis", 0)}};
  if (!input_given(context, 1)) return unsupported("the indices are missing");
  NDArray const& indices = context.constants[1];
  if (indices.empty() || !indices.shape().empty()) return keep_inputs(context, 2, attributes);
  attributes["index"] = integer_at(indices, 0);
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Gather", .attributes = {{"axis"}}, .op = "gather", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_gather
