#include "engine/importers/onnx/converters.h"

namespace tw::onnx_pow {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (context.constants.size() != 2) return unsupported("a power without an exponent");
  NDArray const& power = context.constants[1];
  // A scalar does not change the rank of what it is broadcast with; [1] does not either, unless
  // that is a scalar.
  bool keeps_rank = power.shape().empty() || (power.shape().size() == 1 && context.ranks[0] > 0);
  if (!power.empty() && power.size() == 1 && keeps_rank && power.value_at(0) == 2)
    return keep_inputs(context, 1, {{"square", int64_t(1)}});
  return keep_two(context);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Pow",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "pow",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_pow
