#include <cmath>

#include "engine/graph/shared/softmax_rows.h"

namespace tw::op_softmax {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(SoftmaxStages s, softmax_stages(attributes, inputs[0], name));
  ir::Expr share = ir::load(s.powers.output, te::vars(s.axes)) / ir::load(s.total.output, s.row);
  te::Stage divide = te::compute(name, s.axes, share, "divide");
  return Tensors{{s.largest, s.powers, s.total, divide}, {divide.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(std::vector<bool> over, row_axes(attributes, inputs[0].shape().size()));
  return map_rows(inputs[0], over,
                  [](double shifted, double total) { return std::exp(shifted) / total; });
}

}  // namespace

Operator const& row() {
  static Operator const op = of_rows({
      .name = "softmax",
      .doc = "Exponentials divided by their sum along an axis.",
      .compute = compute,
      .reference = reference,
  });
  return op;
}

}  // namespace tw::op_softmax
