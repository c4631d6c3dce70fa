#include "engine/importers/onnx/converters.h"

namespace tw::onnx_gather_nd {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 2, {{"batch_dims", foreign_integer(context.node, "batch_dims", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "GatherND",
       .attributes = {{"batch_dims", 12}},
       .op = "gather_nd",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_gather_nd
