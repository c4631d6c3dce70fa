#include <fmt/format.h>

#include <numeric>

#include "engine/graph/function.h"
#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

/// The operator makes the normalized tensor alone, and faster.
Result<std::string> body(ForeignContext const& context) {
  auto wanted = [&](size_t i) {
    return i < context.node.outputs.size() && !context.node.outputs[i].empty();
  };
  if (!wanted(1) && !wanted(2)) return std::string();
  if (context.ranks[0] < 0) return unsupported("the number of dimensions is not known");
  TRY_ASSIGN(int64_t axis,
             normal_axis(onnx_integer(context.node, "axis", -1), size_t(context.ranks[0])));
  std::vector<int64_t> axes(size_t(context.ranks[0] - axis));
  std::iota(axes.begin(), axes.end(), axis);
  bool wide = context.types[0] == DType::kF64, biased = input_given(context, 2);
  return fmt::format(R"(wide = Cast<to={}>(x)
                        axes = Constant<value_ints=[{}]>()
                        mean = ReduceMean(wide, axes)
                        rest = Sub(wide, mean)
                        square = Mul(rest, rest)
                        variance = ReduceMean(square, axes)
                        number = Constant<value_float={:.17e}>()
                        epsilon = CastLike(number, variance)
                        sum = Add(variance, epsilon)
                        root = Sqrt(sum)
                        inverse = Reciprocal(root)
                        normal = Mul(rest, inverse)
                        narrow = CastLike(normal, x)
                        {}
                        {})",
                     wide ? 11 : 1, fmt::join(axes, ", "),
                     onnx_number(context.node, "epsilon", 1e-5),
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
