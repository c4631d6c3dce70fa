#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_negative_log_likelihood_loss {
namespace {

using namespace rules;

constexpr char kPicked[] = R"(axis = Constant<value_ints=[1]>()
                              wished = Cast<to=7>(target)
                              places = Unsqueeze(class, axis)
                              picked = GatherElements<axis=1>(x, places)
                              plane = Squeeze(picked, axis)
                              loss = Neg(plane)
)";

/// The class of each place; one that is ignored reads any, with the weight 0.
std::string classes(ForeignContext const& context, bool ignores) {
  if (!ignores) return "class = Identity(wished)\n";
  return fmt::format(R"(number = Constant<value_int={}>()
                        ignored = Equal(wished, number)
                        none = Constant<value_int=0>()
                        class = Where(ignored, none, wished)
)",
                     foreign_integer(context.node, "ignore_index", 0));
}

std::string weights(bool weighted, bool ignores) {
  std::string text;
  if (weighted)
    text = "given = Gather<axis=0>(weight, class)\n";
  else
    text = R"(one = Constant<value_float=1.0>()
              one_like = CastLike(one, x)
              zeros = Sub(loss, loss)
              given = Add(zeros, one_like)
)";
  if (!ignores) return text + "share = Identity(given)\n";
  return text + R"(zero = Constant<value_float=0.0>()
                   zero_like = CastLike(zero, x)
                   share = Where(ignored, zero_like, given)
)";
}

Result<std::string> body(ForeignContext const& context) {
  bool weighted = input_given(context, 2), ignores = foreign_has(context.node, "ignore_index");
  std::string reduction = foreign_text(context.node, "reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return unsupported(fmt::format("the reduction '{}'", reduction));
  std::string text = kPicked;
  text.insert(text.find("places"), classes(context, ignores));
  bool shares = weighted || ignores;
  if (shares) text += weights(weighted, ignores) + "part = Mul(loss, share)\n";
  std::string part = shares ? "part" : "loss";
  if (reduction == "none") return text + fmt::format("y = Identity({})", part);
  if (reduction == "sum") return text + fmt::format("y = ReduceSum<keepdims=0>({})", part);
  if (!shares) return text + "y = ReduceMean<keepdims=0>(loss)";
  return text + R"(total = ReduceSum<keepdims=0>(part)
                   shares = ReduceSum<keepdims=0>(share)
                   y = Div(total, shares))";
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "NegativeLogLikelihoodLoss",
       .attributes = {{"ignore_index", 12}, {"reduction", 12}},
       .function = FunctionBody{.doc = "Minus the log-probability of the target class, weighted; "
                                       "the sum or mean of these.",
                                .inputs = {"x", "target", "weight"},
                                .outputs = {"y"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_negative_log_likelihood_loss
