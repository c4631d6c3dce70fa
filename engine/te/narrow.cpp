#include "engine/te/narrow.h"

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"

namespace tw::te {
namespace {

bool adds(Stage const& stage) {
  return stage.combiner == Combiner::kSum || stage.combiner == Combiner::kProd;
}

std::string unique(std::string name, std::set<std::string>& taken) {
  while (!taken.insert(name).second) name += "_";
  return name;
}

/// An expression of a narrow type, computed in f32. Conditions stay as they are.
Expr widened(Expr const& e) {
  if (!is_narrow(e.type())) return e;
  if (auto const* node = e.as<ir::FloatImm>()) return ir::float_imm(node->value, DType::kF32);
  if (auto const* node = e.as<ir::Unary>()) return ir::unary(node->op, widened(node->a));
  if (auto const* node = e.as<ir::Binary>())
    return ir::binary(node->op, widened(node->a), widened(node->b));
  if (auto const* node = e.as<ir::Select>())
    return ir::select(node->condition, widened(node->a), widened(node->b));
  return ir::cast(DType::kF32, e);
}

}  // namespace

bool is_narrow(DType type) { return type == DType::kF16 || type == DType::kBF16; }

bool only_chooses(Expr const& e) {
  if (auto const* node = e.as<ir::Binary>())
    return node->op == ir::BinaryOp::kMin || node->op == ir::BinaryOp::kMax;
  if (auto const* node = e.as<ir::Unary>())
    return node->op == ir::UnaryOp::kNeg || node->op == ir::UnaryOp::kAbs;
  return true;
}

Kernel with_wide_sums(Kernel const& kernel) {
  std::set<std::string> taken;
  for (Buffer const& input : kernel.inputs) taken.insert(input->name);
  for (Stage const& stage : kernel.stages) taken.insert(stage.output->name);
  Kernel result = kernel;
  result.stages.clear();
  for (Stage const& stage : kernel.stages) {
    if (!adds(stage) || !is_narrow(stage.output->type)) {
      result.stages.push_back(stage);
      continue;
    }
    char const* suffix = stage.combiner == Combiner::kSum ? "_sum" : "_prod";
    Stage exact = reduce(unique(stage.output->name + suffix, taken), stage.axes, stage.combiner,
                         stage.reduce, widened(stage.body), stage.op);
    exact.scan = stage.scan;
    Expr sum = ir::load(exact.output, vars(stage.axes));
    Stage rounded = {stage.output,
                     stage.axes,
                     {},
                     Combiner::kNone,
                     stage.ordered() ? Scan::kJoins : Scan::kNone,
                     ir::cast(stage.output->type, sum),
                     {}};
    result.stages.push_back(std::move(exact));
    result.stages.push_back(std::move(rounded));
  }
  return result;
}

}  // namespace tw::te
