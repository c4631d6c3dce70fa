#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/norm_bodies.h"

namespace tw::onnx_group_norm {
namespace {

using namespace rules;

/// Before opset 21 a group has one scale and shift, afterwards each channel has.
Result<std::string> body(ForeignContext const& context) {
  int64_t groups = foreign_integer(context.node, "num_groups", 0);
  if (groups < 1) return unsupported(fmt::format("{} groups of channels", groups));
  if (context.ranks.size() < 3 || context.ranks[0] < 3)
    return unsupported("the planes of the channels are not known");
  TRY(expect_plain_stash(context));
  std::string planes;
  for (int i = 2; i < context.ranks[0]; ++i) planes += ", 1";
  bool by_channel = context.opset >= 21;
  std::string normalize = wide_line(context) +
                          fmt::format(R"(split = Constant<value_ints=[0, {}, -1]>()
      grouped = Reshape(wide, split)
      axes = Constant<value_ints=[2]>()
)",
                                      groups) +
                          variance_lines("grouped") + root_lines(context, "variance") +
                          R"(normal = Div(rest, root)
      shape = Shape(x)
)";
  if (by_channel)
    return normalize + fmt::format(R"(whole = Reshape(normal, shape)
      narrow = CastLike(whole, x)
      channels = Constant<value_ints=[-1{}]>()
      scales = Reshape(scale, channels)
      shifts = Reshape(bias, channels)
      scaled = Mul(narrow, scales)
      y = Add(scaled, shifts))",
                                   planes);
  return normalize + R"(narrow = CastLike(normal, x)
      channels = Constant<value_ints=[-1, 1]>()
      scales = Reshape(scale, channels)
      shifts = Reshape(bias, channels)
      scaled = Mul(narrow, scales)
      shifted = Add(scaled, shifts)
      y = Reshape(shifted, shape))";
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "GroupNormalization",
       .attributes = {{"epsilon", 18}, {"num_groups", 18}, {"stash_type", 21}},
       .function = FunctionBody{.doc = "Each group of channels normalized to mean 0 and variance "
                                       "1, then scaled and shifted.",
                                .inputs = {"x", "scale", "bias"},
                                .outputs = {"y"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_group_norm
