#include "engine/importers/onnx/converters.h"

namespace tw::onnx_lrn {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (!foreign_has(context.node, "size")) return unsupported("the attribute size is missing");
  return keep_inputs(context, 1,
                     {{"size", foreign_integer(context.node, "size", 1)},
                      {"alpha", foreign_number(context.node, "alpha", 1e-4)},
                      {"beta", foreign_number(context.node, "beta", 0.75)},
                      {"bias", foreign_number(context.node, "bias", 1)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "LRN",
       .attributes = {{"alpha"}, {"beta"}, {"bias"}, {"size"}},
       .op = "lrn",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_lrn
