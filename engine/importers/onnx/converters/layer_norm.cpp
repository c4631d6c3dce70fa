#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/norm_bodies.h"

namespace tw::onnx_layer_norm {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 3,
                     {{"axis", foreign_integer(context.node, "axis", -1)},
                      {"epsilon", foreign_number(context.node, "epsilon", 1e-5)}});
}

/// The operator makes the normalized tensor alone, and faster.
Result<std::string> body(ForeignContext const& context) {
  auto wanted = [&](size_t i) {
    return i < context.node.outputs.size() && !context.node.outputs[i].empty();
  };
  if (!wanted(1) && !wanted(2)) return std::string();
  TRY(expect_rank(context));
  TRY_ASSIGN(std::string axes, last_axes_line(context));
  bool biased = input_given(context, 2);
  return wide_line(context) + axes + variance_lines("wide") + root_lines(context, "variance") +
         fmt::format(R"(inverse = Reciprocal(root)
                        normal = Mul(rest, inverse)
                        narrow = CastLike(normal, x)
                        {}
                        {})",
                     biased ? "scaled = Mul(narrow, scale)" : "y = Mul(narrow, scale)",
                     biased ? "y = Add(scaled, bias)" : "");
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "LayerNormalization",
       .attributes = {{"axis", 17}, {"epsilon", 17}, {"stash_type", 17}},
       .op = "layer_norm",
       .convert = convert,
       .function = FunctionBody{.doc = "The operator of that name where the mean or the inverse "
                                       "standard deviation is also read.",
                                .inputs = {"x", "scale", "bias"},
                                .outputs = {"y", "mean", "inverse"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_layer_norm
