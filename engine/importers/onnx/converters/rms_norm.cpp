#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/shared/norm_bodies.h"

namespace tw::onnx_rms_norm {
namespace {

using namespace rules;

Result<std::string> body(ForeignContext const& context) {
  TRY(expect_rank(context));
  TRY(expect_plain_stash(context));
  TRY_ASSIGN(std::string axes, last_axes_line(context));
  return wide_line(context) + "square = Mul(wide, wide)\n" + axes +
         "mean = ReduceMean(square, axes)\n" + root_lines(context, "mean") +
         R"(normal = Div(wide, root)
            narrow = CastLike(normal, x)
            y = Mul(narrow, scale))";
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "RMSNormalization",
       .attributes = {{"axis", 23}, {"epsilon", 23}, {"stash_type", 23}},
       .function = FunctionBody{.doc = "The elements along the last axes divided by the root of "
                                       "the mean of their squares, "
                                       "then scaled.",
                                .inputs = {"x", "scale"},
                                .outputs = {"y"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_rms_norm
