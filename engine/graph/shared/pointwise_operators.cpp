#include "engine/graph/shared/pointwise_operators.h"

namespace tw::ops {
namespace {

/// `part` unless the operator has its own.
template <typename T>
void fill(T& own, T part) {
  if (own == nullptr) own = part;
}

Operator injective(Operator op, std::vector<std::string> inputs) {
  op.fusion = Fusion::kInjective;
  op.elementwise = true;
  op.inputs = std::move(inputs);
  return op;
}

double value_of(Parameter const& parameter, Attributes const& attributes) {
  return parameter.name != nullptr ? number(attributes, parameter.name, parameter.standard) : 0;
}

ReferenceResult reference_same(Attributes const&, Arrays inputs) { return std::vector{inputs[0]}; }

Result<Tensors> compute_same(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return x; });
}

}  // namespace

Operator of_one(Operator op) {
  fill(op.infer, infer_float);
  fill(op.random_case, random_one);
  return injective(std::move(op), {"X"});
}

Operator of_two(Operator op) {
  fill(op.infer, infer_pair);
  fill(op.random_case, random_pair);
  return injective(std::move(op), {"X", "Z"});
}

Operator of_many(Operator op) {
  fill(op.infer, infer_many);
  fill(op.random_case, random_many);
  return injective(std::move(op), {"X"});
}

Operator of_the_same(Operator op) {
  op.infer = infer_same;
  op.compute = compute_same;
  op.reference = reference_same;
  return of_one(std::move(op));
}

Tensors compute_parametric(ParametricFunction const& function, Attributes const& attributes,
                           Buffers inputs, std::string const& name) {
  double a = value_of(function.parameters[0], attributes);
  double b = value_of(function.parameters[1], attributes);
  return map_compute(inputs, name, [&](ir::Expr x) { return function.expression(x, a, b); });
}

ReferenceResult reference_parametric(ParametricFunction const& function,
                                     Attributes const& attributes, Arrays inputs) {
  double a = value_of(function.parameters[0], attributes);
  double b = value_of(function.parameters[1], attributes);
  return map_elements(inputs[0], [&](double x) { return function.number(x, a, b); });
}

RandomCase random_parametric(ParametricFunction const& function, Rng& rng) {
  RandomCase result = random_one(rng);
  for (Parameter const& one : function.parameters)
    if (one.name != nullptr) result.attributes[one.name] = rng.uniform() + one.random_from;
  return result;
}

}  // namespace tw::ops
