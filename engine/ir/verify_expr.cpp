#include "engine/ir/verify_expr.h"

#include <fmt/format.h>

#include "engine/ir/expr.h"
#include "engine/ir/instruction_value.h"
#include "engine/ir/text.h"
#include "engine/ir/type_rules.h"

namespace tw::ir {
namespace {

std::string type_text(Expr const& e) {
  std::string name(tw::to_text(e.type()));
  return e.lanes() == 1 ? name : fmt::format("{} of {} lanes", name, e.lanes());
}

std::string misfit_of(Binary const& node) {
  if (node.a.type() != node.b.type() || node.a.lanes() != node.b.lanes())
    return fmt::format("'{}' is {}, but '{}' is {}", to_text(node.a), type_text(node.a),
                       to_text(node.b), type_text(node.b));
  bool logic = node.op == BinaryOp::kAnd || node.op == BinaryOp::kOr;
  if (logic && node.a.type() != DType::kBool)
    return fmt::format("'{}' is not a condition", to_text(node.a));
  bool whole = node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod;
  if (whole && !is_integer(node.a.type()))
    return fmt::format("'{}' is not an integer, but is divided as one", to_text(node.a));
  if (node.op == BinaryOp::kDiv && !is_float(node.a.type()))
    return fmt::format("'{}' is not a float, but is divided as one", to_text(node.a));
  std::string wrong = type_misfit(node.op, node.a.type());
  return wrong.empty()
             ? ""
             : fmt::format("{}, but '{}' is {}", wrong, to_text(node.a), type_text(node.a));
}

std::string misfit_of(Unary const& node) {
  std::string wrong = type_misfit(node.op, node.a.type());
  return wrong.empty()
             ? ""
             : fmt::format("{}, but '{}' is {}", wrong, to_text(node.a), type_text(node.a));
}

std::string misfit_of(IntImm const& node) {
  if (fits(node.value, node.type)) return "";
  return fmt::format("{} does not fit in {}", node.value, tw::to_text(node.type));
}

std::string misfit_of(Select const& node) {
  if (node.condition.type() != DType::kBool)
    return fmt::format("'{}' is not a condition", to_text(node.condition));
  if (node.a.type() != node.b.type() || node.a.lanes() != node.b.lanes())
    return fmt::format("a select has type {} on one side and {} on the other", type_text(node.a),
                       type_text(node.b));
  if (node.condition.lanes() != 1 && node.condition.lanes() != node.lanes)
    return fmt::format("a select of {} has a condition of {} lanes", type_text(node.a),
                       node.condition.lanes());
  return "";
}

std::string misfit_of(Ramp const& node) {
  if (node.base.lanes() != 1 || node.stride.lanes() != 1)
    return "a ramp's base and stride must have one lane";
  if (!is_integer(node.base.type()) || node.base.type() != node.stride.type())
    return fmt::format("a ramp has base type {} and stride type {}", type_text(node.base),
                       type_text(node.stride));
  return "";
}

std::string misfit_of(IntrinsicValue const& node) {
  ValueParams params = value_params(*node.intrinsic);
  std::string const& name = node.intrinsic->name;
  if (!params.result || params.result->buffer->type != node.type ||
      lanes_of(*params.result) != node.lanes)
    return fmt::format("{} does not make {} values of type {}", name, node.lanes,
                       tw::to_text(node.type));
  if (params.operands.size() != node.operands.size())
    return fmt::format("{} takes {} values, but {} are given", name, params.operands.size(),
                       node.operands.size());
  for (size_t i = 0; i < node.operands.size(); ++i) {
    IntrinsicParam const& param = *params.operands[i];
    DType type = param.buffer ? param.buffer->type : param.var.type();
    Expr const& given = node.operands[i];
    if (given.type() != type || given.lanes() != lanes_of(param))
      return fmt::format("{} of {} must be {} of {} lanes, but {} is {}", param.name(), name,
                         tw::to_text(type), lanes_of(param), to_text(given), type_text(given));
  }
  return "";
}

}  // namespace

std::string misfit(Expr const& e) {
  if (auto const* node = e.as<IntrinsicValue>()) return misfit_of(*node);
  if (auto const* node = e.as<Binary>()) return misfit_of(*node);
  if (auto const* node = e.as<Unary>()) return misfit_of(*node);
  if (auto const* node = e.as<IntImm>()) return misfit_of(*node);
  if (auto const* node = e.as<Select>()) return misfit_of(*node);
  if (auto const* node = e.as<Ramp>()) return misfit_of(*node);
  if (auto const* node = e.as<Broadcast>(); node && node->value.lanes() != 1)
    return fmt::format("'{}' already has {} lanes, so it cannot be broadcast", to_text(node->value),
                       node->value.lanes());
  return "";
}

}  // namespace tw::ir
