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

}  // namespace

bool is_narrow(DType type) { return type == DType::kF16 || type == DType::kBF16; }

bool has_narrow(Kernel const& kernel) {
  return std::ranges::any_of(kernel.stages, [](Stage const& stage) {
    bool found = is_narrow(stage.output->type);
    ir::walk(stage.body,
             [&](Expr const& e) { return found = found || is_narrow(e.type()), !found; });
    return found;
  });
}

bool only_chooses(Expr const& e) {
  if (auto const* node = e.as<ir::Binary>())
    return node->op == ir::BinaryOp::kMin || node->op == ir::BinaryOp::kMax;
  if (auto const* node = e.as<ir::Unary>())
    return node->op == ir::UnaryOp::kNeg || node->op == ir::UnaryOp::kAbs;
  return true;
}

Expr widened(Expr const& e, Conversions conversions) {
  if (!is_narrow(e.type())) return e;
  auto wide = [&](Expr const& part) { return widened(part, conversions); };
  if (auto const* node = e.as<ir::FloatImm>()) return ir::float_imm(node->value, DType::kF32);
  if (auto const* node = e.as<ir::Unary>()) return ir::unary(node->op, wide(node->a));
  if (auto const* node = e.as<ir::Binary>())
    return ir::binary(node->op, wide(node->a), wide(node->b));
  if (auto const* node = e.as<ir::Select>())
    return ir::select(node->condition, wide(node->a), wide(node->b));
  auto const* cast = e.as<ir::Cast>();
  bool dropped = cast && conversions == Conversions::kDropped && cast->a.type() == DType::kF32;
  return dropped ? cast->a : ir::cast(DType::kF32, e);
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
                         stage.reduce, widened(stage.body, Conversions::kKept), stage.op);
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
