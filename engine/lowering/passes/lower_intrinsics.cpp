// call dot(C[x] over (l in 16), A[y] over (k in 4), B[z] over (l in 16, k in 4))
//   -->   C[ramp(x, 1, 16)] = value dot(C[ramp(x, 1, 16)], A[ramp(y, 1, 4)], B[ramp(z, 1, 64)])
#include <fmt/format.h>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/calls.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// The elements of an operand as lanes, in the order of its axes; null where they do not lie evenly
/// in memory.
Expr lanes_of(Operand const& operand) {
  auto const& element = operand.value.to<Load>();
  arith::Linear index = arith::to_linear(element.indices[0]);
  int64_t lanes = 1, stride = 0;
  Substitution begin;
  for (size_t d = operand.axes.size(); d-- > 0;) {
    OperandAxis const& axis = operand.axes[d];
    auto extent = as_int(axis.extent);
    if (!extent || lanes * *extent > 4096) return nullptr;
    begin[axis.name()] = int_imm(0);
    if (*extent == 1) continue;
    int64_t apart = index.factor_of(axis.name());
    if (lanes > 1 && apart != stride * lanes) return nullptr;
    if (lanes == 1) stride = apart;
    lanes *= *extent;
  }
  for (arith::Linear::Term const& term : index.terms)
    for (OperandAxis const& axis : operand.axes)
      if (!term.term.as<Variable>() && uses_variable(term.term, axis.name())) return nullptr;
  Expr base = arith::simplify(substitute(element.indices[0], begin));
  if (lanes == 1) return load(element.buffer, {base});
  if (stride == 0) return make<Broadcast>(load(element.buffer, {base}), int(lanes));
  return load(element.buffer, {make<Ramp>(base, int_imm(stride), int(lanes))});
}

/// Null where the call has another shape: it writes several tensors, or one evenly.
Stmt as_value(IntrinsicCall const& call) {
  std::vector<Expr> operands;
  Expr result;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    IntrinsicParam const& param = call.intrinsic->params[i];
    if (!param.buffer) {
      operands.push_back(call.operands[i].value);
      continue;
    }
    Expr lanes = lanes_of(call.operands[i]);
    if (!lanes || (param.writes() && (result || !lanes.as<Load>()))) return nullptr;
    if (param.writes()) result = lanes;
    if (param.reads()) operands.insert(param.writes() ? operands.begin() : operands.end(), lanes);
  }
  if (!result) return nullptr;
  auto const& written = result.to<Load>();
  return make_from<Store>(
      call.origin, written.buffer, written.indices,
      make<IntrinsicValue>(call.intrinsic, written.type, result.lanes(), std::move(operands)));
}

Result<KernelIr> run_lower_intrinsics(KernelIr const& kernel, PassContext const& context) {
  int calls = 0;
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    Status status;
    next.body = rewrite_stmts(function.body, [&](Stmt const& s) -> Stmt {
      auto const* call = s.as<IntrinsicCall>();
      if (!call || !status || !context.target.intrinsic(call->intrinsic->name)) return nullptr;
      if (Stmt value = as_value(*call)) return value;
      auto loops = loops_of_call(*call, fmt::format("lanes{}", calls++));
      if (!loops) status = std::unexpected(loops.error());
      return loops ? *loops : nullptr;
    });
    if (!status) return std::unexpected(status.error());
    return next;
  });
}

}  // namespace

Pass lower_intrinsics() {
  return {.name = "lower_intrinsics",
          .title = "Lowers calls of instructions to vector operations",
          .why = "before unrolling: unrolled copies keep their vectors, and sums go to registers",
          .run = run_lower_intrinsics,
          .contract = {.needs = {Invariant::kNoBlocks, Invariant::kFlatBuffers},
                       .gives_up = {Invariant::kScalarCode}}};
}

}  // namespace tw
