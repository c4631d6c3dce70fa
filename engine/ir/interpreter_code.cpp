#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"
#include "engine/ir/stmt.h"

namespace tw::ir {

CodePtr StatementInterpreter::compile(Stmt const& s) {
  auto code = std::make_unique<Code>();
  code->source = s;
  dispatch(*s, [&](auto const& node) { compile(node, *code); });
  for (CodePtr const& child : code->children) {
    code->together |= child->together;
    code->for_all |= child->for_all;
    code->awaits |= child->awaits;
  }
  return code;
}

void StatementInterpreter::compile(For const& node, Code& code) {
  code.exprs.push_back(evaluator_.compile(node.extent));
  code.slot = evaluator_.slot(node.name());
  code.loop_kind = node.loop_kind;
  code.together = code.for_all = options_.sharing && node.loop_kind == LoopKind::kBind;
  code.children.push_back(compile(node.body));
}

void StatementInterpreter::compile(Store const& node, Code& code) {
  code.buffer = evaluator_.buffer_slot(node.buffer->name);
  for (Expr const& index : node.indices) code.exprs.push_back(evaluator_.compile(index));
  code.exprs.push_back(evaluator_.compile(node.value));
  code.lanes = std::max(node.value.lanes(), Load::lanes_of(node.indices));
}

void StatementInterpreter::compile(Seq const& node, Code& code) {
  for (Stmt const& child : node.stmts) code.children.push_back(compile(child));
}

void StatementInterpreter::compile(If const& node, Code& code) {
  code.exprs.push_back(evaluator_.compile(node.condition));
  code.lanes = node.condition.lanes();
  code.children.push_back(compile(node.then_body));
  if (node.else_body) code.children.push_back(compile(node.else_body));
}

void StatementInterpreter::compile(Let const& node, Code& code) {
  code.exprs.push_back(evaluator_.compile(node.value));
  code.slot = evaluator_.slot(node.var.to<Variable>().name);
  code.children.push_back(compile(node.body));
}

void StatementInterpreter::compile(Alloc const& node, Code& code) {
  code.buffer = evaluator_.buffer_slot(node.buffer->name);
  code.together = code.for_all = options_.sharing && is_shared(*node.buffer);
  code.children.push_back(compile(node.body));
}

void StatementInterpreter::compile(Block const& node, Code& code) {
  for (IterVar const& iter : node.iters) {
    code.exprs.push_back(evaluator_.compile(iter.binding));
    code.iter_extents.push_back(evaluator_.compile(iter.extent));
    code.iter_slots.push_back(evaluator_.slot(iter.name()));
    code.iter_kinds.push_back(iter.kind);
  }
  if (node.predicate) code.predicate = evaluator_.compile(node.predicate);
  code.children.push_back(compile(node.body));
  if (node.init) code.children.push_back(compile(node.init));
}

void StatementInterpreter::compile(IntrinsicCall const& node, Code& code) {
  IntrinsicNode const& intrinsic = *node.intrinsic;
  operand_ = evaluator_.buffer_slot(" operand");  // no name that a program could have
  code.for_all = options_.sharing && intrinsic.barrier;
  code.awaits = options_.sharing && intrinsic.completion == Completion::kAwaits;
  code.together =
      code.for_all || code.awaits || (options_.sharing && shuffles(intrinsic.completion));
  code.callee = std::make_unique<Callee>();
  code.callee->machine = std::make_unique<StatementInterpreter>(options_);
  StatementInterpreter& inner = *code.callee->machine;
  if (intrinsic.behaviour) code.callee->body = inner.compile(intrinsic.behaviour);
  for (size_t i = 0; i < intrinsic.params.size(); ++i)
    code.callee->passed.push_back(compile(intrinsic.params[i], node.operands[i], inner));
  for (RegisterValue const& one : intrinsic.needs)
    code.callee->needs.push_back(inner.evaluator_.compile(one.value));
  for (RegisterValue const& one : intrinsic.sets)
    code.callee->sets.push_back(inner.evaluator_.compile(one.value));
}

Passed StatementInterpreter::compile(IntrinsicParam const& param, Operand const& operand,
                                     StatementInterpreter& inner) {
  Passed passed;
  for (OperandAxis const& axis : operand.axes) {
    passed.extents.push_back(evaluator_.compile(axis.extent));
    passed.axes.push_back(evaluator_.slot(axis.name()));
  }
  if (!param.buffer) {
    passed.exprs.push_back(evaluator_.compile(operand.value));
    passed.formal = inner.evaluator_.slot(param.name());
    return passed;
  }
  auto const& element = operand.value.to<Load>();
  passed.buffer = evaluator_.buffer_slot(element.buffer->name);
  for (Expr const& index : element.indices) passed.exprs.push_back(evaluator_.compile(index));
  passed.formal = inner.evaluator_.buffer_slot(param.name());
  return passed;
}

}  // namespace tw::ir
