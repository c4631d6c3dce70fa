#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_cum_sum {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  TRY_ASSIGN(std::vector<int64_t> axis, constant_integers(context, 1, "the axis of running sums"));
  if (axis.size() != 1) return unsupported(fmt::format("running sums along {} axes", axis.size()));
  return keep_inputs(context, 1,
                     {{"axis", axis[0]},
                      {"exclusive", foreign_integer(context.node, "exclusive", 0)},
                      {"reverse", foreign_integer(context.node, "reverse", 0)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "CumSum",
       .attributes = {{"exclusive", 11}, {"reverse", 11}},
       .op = "cum_sum",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_cum_sum
