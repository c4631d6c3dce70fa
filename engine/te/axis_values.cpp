#include "engine/te/axis_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"

namespace tw::te {
namespace {

bool speaks_of(Expr const& e, Axis const& axis) { return ir::uses_variable(e, axis.name); }

/// What is tried: the axes that the expression speaks of, and with them the conditions that read no
/// tensor and share an axis, directly or by others.
struct Trial {
  std::vector<Axis const*> axes;
  std::vector<std::pair<Expr, bool>> conditions;  // in the order of the path

  Trial(Stage const& stage, Expr const& e, Path const& path) {
    add_axes(stage, e);
    for (size_t before = axes.size() + 1; before != axes.size();) {
      before = axes.size();
      for (auto const& one : path.conditions)
        if (belongs(one.first)) add_axes(stage, one.first);
    }
    for (auto const& one : path.conditions)
      if (belongs(one.first)) conditions.push_back(one);
  }

private:
  bool belongs(Expr const& condition) const {
    return !ir::reads_tensor(condition) &&
           std::ranges::any_of(axes, [&](Axis const* axis) { return speaks_of(condition, *axis); });
  }
  void add_axes(Stage const& stage, Expr const& from) {
    for (auto const* list : {&stage.axes, &stage.reduce})
      for (Axis const& axis : *list)
        if (speaks_of(from, axis) && std::ranges::find(axes, &axis) == axes.end())
          axes.push_back(&axis);
  }
};

int64_t points_of(std::vector<Axis const*> const& axes) {
  int64_t points = 1;
  for (Axis const* axis : axes)
    if (__builtin_mul_overflow(points, axis->extent, &points) || points > kMostTried)
      return kMostTried + 1;
  return points;
}

/// The values of the axes at a point, the last axis running first.
std::vector<std::pair<std::string, int64_t>> values_at(std::vector<Axis const*> const& axes,
                                                       int64_t point) {
  std::vector<std::pair<std::string, int64_t>> values(axes.size());
  for (size_t i = axes.size(); i-- > 0; point /= axes[i]->extent)
    values[i] = {axes[i]->name, point % axes[i]->extent};
  return values;
}

/// Evaluates an expression and its conditions at one point after the other.
class Tried {
public:
  Tried(Trial const& trial, Expr const& e) : trial_(trial), value_(evaluator_.compile(e)) {
    for (auto const& [condition, holds] : trial.conditions)
      tests_.emplace_back(evaluator_.compile(condition), holds);
    for (Axis const* axis : trial.axes) slots_.push_back(evaluator_.slot(axis->name));
  }

  /// Empty where a condition does not hold.
  std::optional<int64_t> at(int64_t point) {
    for (size_t i = slots_.size(); i-- > 0; point /= trial_.axes[i]->extent)
      evaluator_.set(slots_[i], point % trial_.axes[i]->extent);
    for (auto const& [test, holds] : tests_)
      if ((evaluator_.integer(test, 0) != 0) != holds) return std::nullopt;
    return evaluator_.integer(value_, 0);
  }
  bool failed() const { return evaluator_.failed(); }

private:
  Trial const& trial_;
  ir::ExprEvaluator evaluator_;
  ir::Compiled value_;
  std::vector<std::pair<ir::Compiled, bool>> tests_;
  std::vector<int> slots_;
};

}  // namespace

Path Path::and_then(Expr const& condition, bool holds) const {
  auto const* node = condition.as<ir::Binary>();
  if (node && node->op == (holds ? ir::BinaryOp::kAnd : ir::BinaryOp::kOr))
    return and_then(node->a, holds).and_then(node->b, holds);
  Path longer = *this;
  longer.conditions.emplace_back(condition, holds);
  return longer;
}

std::string AxisValues::at() const {
  std::string text;
  for (auto const& [name, value] : axes)
    text += fmt::format("{}{}={}", text.empty() ? " at " : ", ", name, value);
  return text;
}

std::optional<std::optional<AxisValues>> find_values(Stage const& stage, Expr const& e,
                                                     Path const& path,
                                                     std::function<bool(int64_t)> const& wanted) {
  Trial trial(stage, e, path);
  int64_t points = points_of(trial.axes);
  if (points > kMostTried) return std::nullopt;
  Tried tried(trial, e);
  for (int64_t point = 0; point < points; ++point) {
    auto value = tried.at(point);
    if (tried.failed()) return std::nullopt;  // a division by zero, which is told by itself
    if (value && wanted(*value)) return AxisValues{values_at(trial.axes, point), *value};
  }
  return std::optional<AxisValues>();
}

}  // namespace tw::te
