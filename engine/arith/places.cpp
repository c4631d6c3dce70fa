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

std::optional<ir::Expr> vector_begin(ir::Expr const& index, std::string const& counter,
                                     int64_t element_bytes, int lanes, int64_t of_first) {
  Linear linear = to_linear(index);
  if (linear.factor_of(counter) != 1) return std::nullopt;
  for (Linear::Term const& term : linear.terms)
    if (!term.term.as<ir::Variable>() && ir::uses_variable(term.term, counter)) return std::nullopt;
  ir::Expr begin = simplify(ir::substitute(index, {{counter, ir::int_imm(0)}}));
  bool stands =
      of_first == 0 || alignment_of(begin, element_bytes, of_first) % (lanes * element_bytes) == 0;
  return stands ? std::optional(begin) : std::nullopt;
}

ir::Expr first_of(ir::Operand const& operand) {
  ir::Substitution begin;
  for (ir::OperandAxis const& axis : operand.axes) begin[axis.name()] = ir::int_imm(0);
  return simplify(ir::substitute(operand.value, begin));
}

}  // namespace tw::arith
