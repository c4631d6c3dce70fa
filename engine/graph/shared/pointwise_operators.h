/// Whole operators on single elements, made of the one function that is their own. What a file says
/// of its operator stays; what it leaves out is what most of its kind have.
#pragma once

#include <array>

#include "engine/graph/shared/pointwise.h"

namespace tw::ops {

/// Fills in what an operator of one operand X leaves out: a float, and a result like it.
Operator of_one(Operator op);
/// Of two operands X and Z of one type, broadcast.
Operator of_two(Operator op);
/// Of any number of operands of one type, broadcast.
Operator of_many(Operator op);
/// The result is the operand.
Operator of_the_same(Operator op);

/// Every function stands twice: in expressions for the kernel, and for the reference in doubles
/// and, where it takes integers, in whole numbers (of u64 the same bits; the result is wrapped to
/// `type`).
struct ElementFunction {
  ir::Expr (*expression)(ir::Expr x) = nullptr;
  double (*number)(double x) = nullptr;
  int64_t (*whole)(int64_t x, DType type) = nullptr;
};

template <ElementFunction const& kFunction>
Operator element_operator(Operator op) {
  op.compute = [](Attributes const&, Buffers inputs, std::string const& name) -> Result<Tensors> {
    return map_compute(inputs, name, kFunction.expression);
  };
  op.reference = [](Attributes const&, Arrays inputs) {
    return kFunction.whole != nullptr && is_integer(inputs[0].type())
               ? map_integers(inputs[0], kFunction.whole)
               : map_elements(inputs[0], kFunction.number);
  };
  return of_one(std::move(op));
}

/// A number among the attributes.
struct Parameter {
  char const* name = nullptr;
  double standard = 0;     ///< when the node has none
  double random_from = 0;  ///< random ones lie in [random_from, random_from + 1)
};

/// A function of an element with one parameter or two; of one, `b` is to be ignored.
struct ParametricFunction {
  std::array<Parameter, 2> parameters;  ///< an unused one has no name
  ir::Expr (*expression)(ir::Expr x, double a, double b) = nullptr;
  double (*number)(double x, double a, double b) = nullptr;
};

Tensors compute_parametric(ParametricFunction const& function, Attributes const& attributes,
                           Buffers inputs, std::string const& name);
ReferenceResult reference_parametric(ParametricFunction const& function,
                                     Attributes const& attributes, Arrays inputs);
RandomCase random_parametric(ParametricFunction const& function, Rng& rng);

template <ParametricFunction const& kFunction>
Operator parametric_operator(Operator op) {
  op.compute = [](Attributes const& attributes, Buffers inputs,
                  std::string const& name) -> Result<Tensors> {
    return compute_parametric(kFunction, attributes, inputs, name);
  };
  op.reference = [](Attributes const& attributes, Arrays inputs) {
    return reference_parametric(kFunction, attributes, inputs);
  };
  op.random_case = [](Rng& rng) { return random_parametric(kFunction, rng); };
  return of_one(std::move(op));
}

/// A function that joins two elements; of more operands, the result and the next one.
struct JoinFunction {
  ir::Expr (*expression)(ir::Expr a, ir::Expr b) = nullptr;
  double (*number)(double a, double b) = nullptr;
  int64_t (*whole)(int64_t a, int64_t b, DType type) = nullptr;
};

template <JoinFunction const& kFunction>
Operator joined(Operator op) {
  op.compute = [](Attributes const&, Buffers inputs, std::string const& name) -> Result<Tensors> {
    return join_compute(inputs, name, kFunction.expression);
  };
  op.reference = [](Attributes const&, Arrays inputs) {
    return join_elements(inputs, kFunction.number, kFunction.whole);
  };
  return op;
}

template <JoinFunction const& kFunction>
Operator pair_operator(Operator op) {
  return of_two(joined<kFunction>(std::move(op)));
}

template <JoinFunction const& kFunction>
Operator many_operator(Operator op) {
  return of_many(joined<kFunction>(std::move(op)));
}

/// What holds of two elements or does not; the result is bool.
struct CompareFunction {
  ir::Expr (*expression)(ir::Expr a, ir::Expr b) = nullptr;
  bool (*holds)(double a, double b) = nullptr;
};

/// Of numbers.
template <CompareFunction const& kFunction>
Operator comparison_operator(Operator op) {
  if (op.infer == nullptr) op.infer = infer_compare;
  if (op.random_case == nullptr) op.random_case = random_integer_pair;
  op.compute = [](Attributes const&, Buffers inputs, std::string const& name) -> Result<Tensors> {
    return join_compute(inputs, name, kFunction.expression);
  };
  op.reference = [](Attributes const&, Arrays inputs) {
    return compare_elements(inputs, kFunction.holds);
  };
  return of_two(std::move(op));
}

/// The same of bools.
template <CompareFunction const& kFunction>
Operator logic_operator(Operator op) {
  op.infer = infer_logic;
  op.random_case = random_logic;
  op.commutative = true;
  return comparison_operator<kFunction>(std::move(op));
}

}  // namespace tw::ops
