#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_softmax_cross_entropy_loss {
namespace {

using namespace rules;

Result<std::string> body(ForeignContext const& context) {
  std::string ignored;
  if (foreign_has(context.node, "ignore_index"))
    ignored = fmt::format(", ignore_index={}", foreign_integer(context.node, "ignore_index", 0));
  return fmt::format(
      R"(logarithms = LogSoftmax<axis=1>(scores)
         y = NegativeLogLikelihoodLoss<reduction='{}'{}>(logarithms, labels, weights))",
      foreign_text(context.node, "reduction", "mean"), ignored);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "SoftmaxCrossEntropyLoss",
       .attributes = {{"ignore_index", 12}, {"reduction", 12}},
       .function = FunctionBody{.doc = "The cross-entropy loss of the target class after a softmax "
                                       "of the scores, and the log-probabilities.",
                                .inputs = {"scores", "labels", "weights"},
                                .outputs = {"y", "logarithms"},
                                .body = body}},
  };
  return rules;
}

}  // namespace tw::onnx_softmax_cross_entropy_loss
