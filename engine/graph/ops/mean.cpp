#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_mean {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY_ASSIGN(std::vector<TensorInfo> infos, infer_many(attributes, inputs));
  if (!is_float(infos[0].type)) return unsupported("a mean of integers");
  return infos;
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  Tensors tensors = join_compute(inputs, name, [](ir::Expr a, ir::Expr b) { return a + b; });
  ir::Expr& body = tensors.stages[0].body;
  body = body / immediate(double(inputs.size()), body.type());
  return tensors;
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  TRY_ASSIGN(std::vector<NDArray> total,
             join_elements(inputs, [](double a, double b) { return a + b; }));
  double count = double(inputs.size());
  return map_elements(total[0], [=](double x) { return x / count; });
}

}  // namespace

Operator const& row() {
  static Operator const op = of_many({
      .name = "mean",
      .doc = "Mean of any number of tensors, broadcast.",
      .infer = infer,
      .compute = compute,
      .reference = reference,
  });
  return op;
}

}  // namespace tw::op_mean
