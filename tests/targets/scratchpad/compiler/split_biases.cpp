// gemm(a, b, c)  -->  add(gemm(a, b), c), where c is taken once
#include "tests/targets/scratchpad/compiler/split_biases.h"

#include "engine/graph/rewriter.h"

namespace tw::scratchpad {
namespace {

class BiasSplitter {
public:
  BiasSplitter(Graph const& graph, PassCounts& counts) : rewriter_(graph), counts_(counts) {}

  Graph run() {
    while (std::optional<Node> node = rewriter_.take()) {
      if (match(biased_, rewriter_.kept(), *node) && number(node->attributes, "beta", 1) == 1)
        split(std::move(*node));
      else
        rewriter_.keep(std::move(*node));
    }
    return rewriter_.finish();
  }

private:
  void split(Node gemm) {
    ValueId const result = gemm.outputs[0], bias = gemm.inputs[2];
    Value product = rewriter_.value(result);
    product.name += "/product";
    ValueId const made = rewriter_.add_value(std::move(product));
    Node add = rewriter_.node("add", {}, {made, bias}, result);
    add.origins = gemm.origins;
    gemm.inputs.resize(2);
    gemm.outputs[0] = made;
    rewriter_.keep(std::move(gemm));
    rewriter_.keep(std::move(add));
    ++counts_["biases split"];
  }

  Pattern const biased_ = made_by("gemm", {any_value(), any_value(), any_value()});
  GraphRewriter rewriter_;
  PassCounts& counts_;
};

}  // namespace

GraphPass split_biases() {
  return {
      "split_biases", "adds biases after products instead of within them",
      "before fusion: the matrix unit multiplies, and what is added is added by the loops behind",
      [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
        return BiasSplitter(graph, counts).run();
      }};
}

}  // namespace tw::scratchpad
