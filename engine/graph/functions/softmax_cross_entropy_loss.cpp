#include <fmt/format.h>

#include "engine/graph/function.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

Result<std::string> body(ForeignContext const& context) {
  std::string ignored;
  if (onnx_has(context.node, "ignore_index"))
    ignored = fmt::format(", ignore_index={}", onnx_integer(context.node, "ignore_index", 0));
  return fmt::format(
      R"(logarithms = LogSoftmax<axis=1>(scores)
         y = NegativeLogLikelihoodLoss<reduction='{}'{}>(logarithms, labels, weights))",
      onnx_text(context.node, "reduction", "mean"), ignored);
}

}  // namespace

FunctionOperator const& function_softmax_cross_entropy_loss() {
  static FunctionOperator const function{
      .onnx = "SoftmaxCrossEntropyLoss",
      .doc = "The loss of the wanted class after a softmax of the scores, and its logarithms.",
      .onnx_attributes = {{"ignore_index", 12}, {"reduction", 12}},
      .inputs = {"scores", "labels", "weights"},
      .outputs = {"y", "logarithms"},
      .body = body,
  };
  return function;
}

}  // namespace tw
