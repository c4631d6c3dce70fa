#include "engine/arith/places.h"

#include <numeric>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"

namespace tw::arith {

int64_t alignment_of(ir::Expr const& index, int64_t element_bytes, int64_t of_first) {
  Linear linear = to_linear(index);
  int64_t common = std::gcd(of_first, linear.constant * element_bytes);
  for (Linear::Term const& term : linear.terms)
    common = std::gcd(common, term.factor * element_bytes);
  return common;
}

ir::Expr first_of(ir::Operand const& operand) {
  ir::Substitution begin;
  for (ir::OperandAxis const& axis : operand.axes) begin[axis.name()] = ir::int_imm(0);
  return simplify(ir::substitute(operand.value, begin));
}

}  // namespace tw::arith
