// vector i in 16: A[b+i] = B[b+i] * x   -->   A[ramp(b, 1, 16)] = B[ramp(b, 1, 16)] * broadcast(x,
// 16)
#include <fmt/format.h>

#include "engine/arith/linear.h"
#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Widens what depends on one loop variable.
class Widening : public Rewriter {
public:
  Widening(std::string name, int lanes) : name_(std::move(name)), lanes_(lanes) {}
  Status status_;

  Expr visit(Expr const& e) override {
    if (!uses_variable(e, name_)) return e;
    if (is_integer(e.type()))
      if (Expr ramp = as_ramp(e)) return ramp;
    if (auto const* v = e.as<Variable>(); v && v->name == name_)
      return make<Ramp>(int_imm(0), int_imm(1), lanes_);
    return rebuild(e);
  }

  Stmt visit(Stmt const& s) override {
    return dispatch(*s, overloaded{
                            // One hint for all lanes: they lie in a line, mostly.
                            [&](HintNode auto const&) {
                              return substitute(s, {{name_, int_imm(0)}});
                            },
                            [&](If const& node) { return condition(node); },
                            [&](Store const& node) { return wide(node); },
                            [&](IntrinsicCall const& node) { return refuse_call(node, s); },
                            [&](auto const&) { return rebuild(s); },
                        });
  }

  Status status;

private:
  /// An instruction has the lanes that it has.
  Stmt refuse_call(IntrinsicCall const& node, Stmt const& s) {
    status =
        refused("call_in_vector_loop",
                fmt::format("{} is called in the vector loop {}, but a call cannot be vectorized",
                            node.intrinsic->name, name_));
    return s;
  }

  Stmt wide(Store const& node) {
    std::vector<Expr> indices;
    for (Expr const& index : node.indices) indices.push_back(visit(index));
    Expr value = visit(node.value);
    // Under a mask every store is one of lanes, also where no lane differs: one at most runs then.
    int lanes = std::max({Load::lanes_of(indices), value.lanes(), masked_ ? lanes_ : 1});
    if (lanes > 1 && value.lanes() == 1) value = make<Broadcast>(value, lanes);
    if (lanes > 1 && Load::lanes_of(indices) == 1)
      for (Expr& index : indices) index = make<Broadcast>(index, lanes);
    return make_from<Store>(node.origin, node.buffer, std::move(indices), value);
  }

  Stmt condition(If const& node) {
    Expr test = visit(node.condition);
    bool outer = masked_;
    masked_ = outer || test.lanes() > 1;
    if (test.lanes() > 1 && node.else_body)
      status = refused("vector_condition",
                       fmt::format("in the vector loop {}, a condition with an else differs "
                                   "between lanes, which a mask cannot express",
                                   name_));
    Stmt then_body = visit(node.then_body);
    Stmt else_body = node.else_body ? visit(node.else_body) : nullptr;
    masked_ = outer;
    return make_from<If>(node.origin, test, then_body, else_body);
  }

  /// base + stride * i with a base and a stride that do not depend on the loop.
  Expr as_ramp(Expr const& e) const {
    arith::Linear linear = arith::to_linear(e), base, stride;
    base.constant = linear.constant;
    for (auto const& term : linear.terms) {
      if (!uses_variable(term.term, name_)) {
        base.terms.push_back(term);
        continue;
      }
      Expr step = step_of(term.term);
      if (!step) return nullptr;
      stride = arith::add(stride, arith::to_linear(step), term.factor);
    }
    if (stride.is_constant() && stride.constant == 0) return nullptr;
    return make<Ramp>(arith::to_expr(base), arith::to_expr(stride), lanes_);
  }

  /// How much a term grows with each lane: 1 of `i`, n of `i*n`. Null where it does not so.
  Expr step_of(Expr const& term) const {
    if (auto const* v = term.as<Variable>(); v && v->name == name_) return int_imm(1);
    auto const* product = term.as<Binary>();
    if (!product || product->op != BinaryOp::kMul || uses_variable(product->b, name_))
      return nullptr;
    Expr step = step_of(product->a);
    return step ? step * product->b : nullptr;
  }
  std::string name_;
  int lanes_;
  bool masked_ = false;
};

Result<Function> vectorized(Function const& function) {
  Status status;
  Function result = function;
  result.body = rewrite_stmts(function.body, [&](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop || loop->loop_kind != LoopKind::kVector) return nullptr;
    auto extent = as_int(loop->extent);
    if (!extent || *extent > 4096) {
      status = refused("vector_extent",
                       fmt::format("the vector loop {} must have a constant extent of at most 4096",
                                   loop->name()));
      return nullptr;
    }
    if (*extent == 1) return substitute(loop->body, {{loop->name(), int_imm(0)}});
    Widening widening(loop->name(), int(*extent));
    Stmt widened = widening.visit(loop->body);
    if (!widening.status) status = widening.status;
    return widened;
  });
  if (!status) return std::unexpected(status.error());
  return result;
}

Result<KernelIr> run_vectorize_loops(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, vectorized);
}

}  // namespace

Pass vectorize_loops() {
  return {"vectorize_loops",
          "Turns vector loops into vector expressions",
          "before unrolling: one vector statement is copied instead of many scalar ones",
          run_vectorize_loops,
          {.needs = {Invariant::kNoBlocks, Invariant::kFlatBuffers},
           .gives = {Invariant::kNoVectorLoops},
           .gives_up = {Invariant::kScalarCode}}};
}

}  // namespace tw
