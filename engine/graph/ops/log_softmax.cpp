#include <cmath>

#include "engine/graph/shared/softmax_rows.h"

namespace tw::op_log_softmax {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(SoftmaxStages s, softmax_stages(attributes, inputs[0], name));
  ir::Expr logarithm = ir::unary(ir::UnaryOp::kLog, ir::load(s.total.output, s.row));
  te::Stage subtract = te::compute(name, s.axes, s.shifted - logarithm, "subtract");
  return Tensors{{s.largest, s.powers, s.total, subtract}, {subtract.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(std::vector<bool> over, row_axes(attributes, inputs[0].shape().size()));
  return map_rows(inputs[0], over,
                  [](double shifted, double total) { return shifted - std::log(total); });
}

}  // namespace

Operator const& row() {
  static Operator const op = of_rows({
      .name = "log_softmax",
      .doc = "Logarithm of the softmax along an axis.",
      .compute = compute,
      .reference = reference,
  });
  return op;
}

}  // namespace tw::op_log_softmax
