#include <fmt/format.h>

#include "engine/graph/function.h"
#include "engine/graph/shared/norm_bodies.h"

namespace tw {
namespace {

using namespace ops;

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

FunctionOperator const& function_layer_norm_statistics() {
  static FunctionOperator const function{
      .onnx = "LayerNormalization",
      .doc = "The operator of that name where the mean or the deviation is read, too.",
      .onnx_attributes = {{"axis", 17}, {"epsilon", 17}, {"stash_type", 17}},
      .inputs = {"x", "scale", "bias"},
      .outputs = {"y", "mean", "inverse"},
      .body = body,
  };
  return function;
}

}  // namespace tw
