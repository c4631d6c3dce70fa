#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_gelu {
namespace {

using namespace rules;

constexpr char kExact[] = R"(root = Constant<value_float=1.41421356237309505>()
                             root_like = CastLike(root, x)
                             scaled = Div(x, root_like)
                             bent = Erf(scaled))";
constexpr char kTanh[] = R"(small = Constant<value_float=0.044715>()
                            small_like = CastLike(small, x)
                            factor = Constant<value_float=0.79788456080286536>()
                            factor_like = CastLike(factor, x)
                            square = Mul(x, x)
                            cube = Mul(square, x)
                            part = Mul(small_like, cube)
                            sum = Add(x, part)
                            scaled = Mul(factor_like, sum)
                            bent = Tanh(scaled))";

Result<std::string> body(ForeignContext const& context) {
  std::string kind = foreign_text(context.node, "approximate", "none");
  if (kind != "none" && kind != "tanh")
    return unsupported(fmt::format("the approximation '{}'", kind));
  return fmt::format(R"({}
                        one = Constant<value_float=1.0>()
                        one_like = CastLike(one, x)
                        half = Constant<value_float=0.5>()
                        half_like = CastLike(half, x)
                        share = Add(one_like, bent)
                        halved = Mul(half_like, x)
                        y = Mul(halved, share))",
                     kind == "tanh" ? kTanh : kExact);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Gelu",
       .attributes = {{"approximate", 20}},
       .function = FunctionBody{.doc = "x times the standard normal distribution function of x, "
                                       "exact or approximated by tanh.",
                                .inputs = {"x"},
                                .outputs = {"y"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_gelu
