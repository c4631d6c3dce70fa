#include "engine/importers/onnx/converters.h"

namespace tw::onnx_reductions {
namespace {

using namespace rules;

/// Axes as an attribute or as a constant operand, as the opsets have it.
Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"keep", foreign_integer(context.node, "keepdims", 1)}};
  std::vector<int64_t> axes = foreign_integers(context.node, "axes");
  if (input_given(context, 1)) {
    TRY_ASSIGN(axes, constant_integers(context, 1, "the list of axes"));
  }
  bool nothing = axes.empty() && foreign_integer(context.node, "noop_with_empty_axes", 0) != 0;
  if (!axes.empty() || nothing) attributes["axes"] = axes;
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "ReduceL1",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_l1",
       .convert = convert},
      {.type = "ReduceL2",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_l2",
       .convert = convert},
      {.type = "ReduceLogSum",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_log_sum",
       .convert = convert},
      {.type = "ReduceLogSumExp",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_log_sum_exp",
       .convert = convert},
      {.type = "ReduceMax",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_max",
       .convert = convert},
      {.type = "ReduceMean",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_mean",
       .convert = convert},
      {.type = "ReduceMin",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_min",
       .convert = convert},
      {.type = "ReduceProd",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_prod",
       .convert = convert},
      {.type = "ReduceSum",
       .attributes = {{"axes", 1, 12}, {"keepdims"}, {"noop_with_empty_axes", 13}},
       .op = "reduce_sum",
       .convert = convert},
      {.type = "ReduceSumSquare",
       .attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
       .op = "reduce_sum_square",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_reductions
