#include "engine/importers/onnx/converters.h"

namespace tw::onnx_matmul {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Converted converted = keep_inputs(context, 2);
  // Two matrices are what gemm is: its weights are laid out in advance and its kernels known.
  if (context.ranks.size() == 2 && context.ranks[0] == 2 && context.ranks[1] == 2)
    converted.op = "gemm";
  return converted;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "MatMul", .op = "matmul", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_matmul
