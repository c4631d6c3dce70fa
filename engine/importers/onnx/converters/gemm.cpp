#include "engine/importers/onnx/converters.h"

namespace tw::onnx_gemm {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  TRY(check_old_broadcast(context));
  return keep_inputs(context, 3,
                     {{"alpha", foreign_number(context.node, "alpha", 1)},
                      {"beta", foreign_number(context.node, "beta", 1)},
                      {"transpose_a", foreign_integer(context.node, "transA", 0)},
                      {"transpose_b", foreign_integer(context.node, "transB", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Gemm",
       .attributes = {{"alpha"}, {"beta"}, {"broadcast", 1, 6}, {"transA"}, {"transB"}},
       .op = "gemm",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_gemm
