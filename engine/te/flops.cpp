/// How much a kernel has to compute.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/te/factors.h"
#include "engine/te/sizes.h"
#include "engine/te/te.h"

namespace tw::te {
namespace {

constexpr int64_t kMostPlaces = 1 << 14;  // that are counted one by one

int64_t flops_of(Expr const& body) {
  int64_t count = 0;
  ir::walk(body, [&](Expr const& e) {
    auto const* binary = e.as<ir::Binary>();
    if (binary && is_float(binary->a.type())) ++count;
    if (auto const* unary = e.as<ir::Unary>(); unary && is_float(unary->type)) ++count;
    return true;
  });
  return count;
}

/// `difference <= limit`, of loop variables.
struct Bound {
  arith::Linear difference;
  int64_t limit = 0;
};

std::optional<Bound> bound_of(Expr const& condition) {
  auto const* node = condition.as<ir::Binary>();
  bool compares = node && node->a.type() == DType::kI64 &&
                  (node->op == ir::BinaryOp::kLt || node->op == ir::BinaryOp::kLe);
  if (!compares) return std::nullopt;
  Bound bound{arith::add(arith::to_linear(node->a), arith::to_linear(node->b), -1),
              node->op == ir::BinaryOp::kLt ? -1 : 0};
  for (auto const& term : bound.difference.terms)
    if (!term.term.as<ir::Variable>()) return std::nullopt;
  return bound;
}

/// Conditions under which a product is not zero, of the variables where it stands.
void collect_conditions(Expr const& product, Kernel const& kernel, std::vector<Expr>& conditions) {
  if (auto const* node = product.as<ir::Binary>(); node && node->op == ir::BinaryOp::kMul) {
    collect_conditions(node->a, kernel, conditions);
    return collect_conditions(node->b, kernel, conditions);
  }
  if (auto const* node = product.as<ir::Cast>())
    return collect_conditions(node->a, kernel, conditions);
  auto const* choice = product.as<ir::Select>();
  ir::Substitution places;
  if (auto const* read = product.as<ir::Load>()) {
    auto stage = std::ranges::find_if(kernel.stages, [&](Stage const& one) {
      return one.output->name == read->buffer->name && one.reduce.empty() && !one.ordered();
    });
    if (stage == kernel.stages.end()) return;
    choice = stage->body.as<ir::Select>();
    for (size_t d = 0; d < stage->axes.size(); ++d) places[stage->axes[d].name] = read->indices[d];
  }
  if (!choice || !ir::equal(choice->b, ir::neutral(ir::BinaryOp::kAdd, choice->b.type()))) return;
  for (Expr const& one : ir::conjuncts(choice->condition))
    conditions.push_back(ir::substitute(one, places));
}

/// The share of all places, one for each value of the variables, at which all bounds hold.
double share_within(std::vector<Bound> const& bounds, std::vector<Axis> const& axes) {
  int64_t places = 1, inside = 0;
  for (Axis const& axis : axes) places *= axis.extent;
  if (places == 0 || places > kMostPlaces) return 1;
  for (int64_t place = 0; place < places; ++place) {
    std::map<std::string, int64_t> at;
    int64_t rest = place;
    for (Axis const& axis : axes) at[axis.name] = rest % axis.extent, rest /= axis.extent;
    inside += std::ranges::all_of(bounds, [&](Bound const& bound) {
      int64_t value = bound.difference.constant;
      for (auto const& term : bound.difference.terms)
        value += term.factor * at[term.term.to<ir::Variable>().name];
      return value <= bound.limit;
    });
  }
  return double(inside) / double(places);
}

/// Bounds that have a variable in common, and all their variables.
struct Part {
  std::set<std::string> variables;
  std::vector<Bound> bounds;
};

void add_bound(Bound const& bound, std::vector<Part>& parts) {
  Part part{{}, {bound}};
  for (auto const& term : bound.difference.terms)
    part.variables.insert(term.term.to<ir::Variable>().name);
  std::vector<Part> apart;
  for (Part& other : parts) {
    bool shares = std::ranges::any_of(
        other.variables, [&](std::string const& name) { return part.variables.contains(name); });
    if (!shares) {
      apart.push_back(std::move(other));
      continue;
    }
    part.variables.insert(other.variables.begin(), other.variables.end());
    part.bounds.insert(part.bounds.end(), other.bounds.begin(), other.bounds.end());
  }
  apart.push_back(std::move(part));
  parts = std::move(apart);
}

/// Of a sum of products the share that is not with padding.
double share_that_counts(Kernel const& kernel, Stage const& stage) {
  if (stage.combiner != Combiner::kSum) return 1;
  std::vector<Expr> conditions;
  collect_conditions(stage.body, kernel, conditions);
  std::vector<Part> parts;
  for (Expr const& condition : conditions)
    if (std::optional<Bound> bound = bound_of(condition)) add_bound(*bound, parts);
  double share = 1;
  for (Part const& part : parts) {
    std::vector<Axis> axes;
    for (auto const* list : {&stage.axes, &stage.reduce})
      for (Axis const& axis : *list)
        if (part.variables.contains(axis.name)) axes.push_back(axis);
    if (axes.size() == part.variables.size()) share *= share_within(part.bounds, axes);
  }
  return share;
}

int64_t float_operations(Stage const& stage) {
  return flops_of(stage.body) +
         (stage.combiner != Combiner::kNone && is_float(stage.output->type) ? 1 : 0);
}

/// A product and its addition to a sum; what is computed of indices does not count.
int64_t integer_operations(Stage const& stage) {
  if (stage.combiner != Combiner::kSum || !is_integer(stage.output->type)) return 0;
  int64_t count = 0;
  ir::walk(stage.body, [&](Expr const& e) {
    auto const* product = e.as<ir::Binary>();
    if (product && product->op == ir::BinaryOp::kMul && is_integer(e.type())) count += 2;
    return e.as<ir::Load>() == nullptr;
  });
  return count;
}

}  // namespace

bool computes_integers(Kernel const& kernel) {
  bool floats = std::ranges::any_of(kernel.stages,
                                    [](Stage const& stage) { return float_operations(stage) > 0; });
  return !floats && std::ranges::any_of(kernel.stages, [](Stage const& stage) {
    return integer_operations(stage) > 0;
  });
}

int64_t flops(Kernel const& kernel) {
  if (!kernel.sizes.empty()) return flops(shown(kernel));
  bool integers = computes_integers(kernel);
  int64_t total = 0;
  for (Stage const& stage : kernel.stages) {
    int64_t each = integers ? integer_operations(stage) : float_operations(stage);
    double share = integers || each == 0 ? 1 : share_that_counts(kernel, stage);
    total += each * int64_t(std::llround(double(points_of(stage)) * share));
  }
  return total;
}

}  // namespace tw::te
