#include <fmt/format.h>

#include <numeric>

#include "engine/graph/function.h"
#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

Result<std::string> body(ForeignContext const& context) {
  if (context.ranks.empty() || context.ranks[0] < 0)
    return unsupported("the number of dimensions is not known");
  if (onnx_integer(context.node, "stash_type", 1) != 1)
    return unsupported("a mean kept in another type than f32");
  TRY_ASSIGN(int64_t axis,
             normal_axis(onnx_integer(context.node, "axis", -1), size_t(context.ranks[0])));
  std::vector<int64_t> axes(size_t(context.ranks[0] - axis));
  std::iota(axes.begin(), axes.end(), axis);
  bool wide = context.types[0] == DType::kF64;
  return fmt::format(R"(wide = Cast<to={}>(x)
                        square = Mul(wide, wide)
                        axes = Constant<value_ints=[{}]>()
                        mean = ReduceMean(square, axes)
                        number = Constant<value_float={:.17e}>()
                        epsilon = CastLike(number, mean)
                        sum = Add(mean, epsilon)
                        root = Sqrt(sum)
                        normal = Div(wide, root)
                        narrow = CastLike(normal, x)
                        y = Mul(narrow, scale))",
                     wide ? 11 : 1, fmt::join(axes, ", "),
                     onnx_number(context.node, "epsilon", 1e-5));
}

}  // namespace

FunctionOperator const& function_rms_norm() {
  static FunctionOperator const function{
      .onnx = "RMSNormalization",
      .doc =
          "The elements along the last axes divided by the root of the mean of their squares, "
          "then scaled.",
      .onnx_attributes = {{"axis", 23}, {"epsilon", 23}, {"stash_type", 23}},
      .inputs = {"x", "scale"},
      .outputs = {"y"},
      .body = body,
  };
  return function;
}

}  // namespace tw
