#include "engine/graph/quantization/averages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/graph/operator.h"
#include "engine/graph/shared/window.h"

namespace tw {
namespace {

bool is_op(Node const* node, std::string_view name) {
  return node && node->op && node->op->name == name;
}

/// The constant number that a `mul` has on one side, and its other operand.
struct Factor {
  double number = 1;
  ValueId of;
};
std::optional<Factor> factor_of(Graph const& graph, Node const& mul) {
  for (size_t i = 0; i < mul.inputs.size(); ++i) {
    NDArray const& constant = graph.value(mul.inputs[i]).constant;
    if (constant.size() == 1 && !constant.empty() && constant.type() == DType::kF32)
      return Factor{constant.value_at(0), mul.inputs[1 - i]};
  }
  return {};
}

}  // namespace

std::optional<AlikeWindows> alike_windows(Graph const& graph, Node const& pool) {
  bool global = is_op(&pool, "global_average_pool");
  if (!global && !is_op(&pool, "average_pool")) return {};
  std::optional<Shape> shape = graph.value(pool.inputs[0]).shape();
  if (!shape || shape->size() < 3) return {};
  if (global) {
    std::vector<int64_t> whole(shape->begin() + 2, shape->end());
    return AlikeWindows{{{"kernel", whole}}, element_count(whole).value_or(0)};
  }
  auto window = ops::window_of(pool.attributes, *shape);
  if (!window) return {};
  bool alike = std::ranges::all_of(window->beyond, [](int64_t n) { return n == 0; }) &&
               (!window->padded() || integer(pool.attributes, "count_padding") != 0);
  if (!alike) return {};
  Attributes attributes = pool.attributes;
  attributes.erase("count_padding");
  return AlikeWindows{std::move(attributes), element_count(window->kernel).value_or(0)};
}

std::optional<ShiftedSum> shifted_sum(Graph const& graph, MakerOf const& maker, ValueId id) {
  ShiftedSum sum;
  Node const* node = maker(id);
  double factor = 1;
  if (is_op(node, "mul")) {
    auto number = factor_of(graph, *node);
    if (!number) return {};
    sum.factor = node, factor = number->number;
    node = maker(number->of);
  }
  auto windows = node && node->op ? alike_windows(graph, *node) : std::nullopt;
  if (!windows || windows->count < 1) return {};
  int exponent = 0;
  if (std::frexp(factor / double(windows->count), &exponent) != 0.5) return {};
  sum.pool = node, sum.count = windows->count, sum.shift = 1 - exponent;
  sum.window = std::move(windows->attributes);
  return sum.shift >= 0 ? std::optional(std::move(sum)) : std::nullopt;
}

bool only_reshapes(Node const& node) {
  constexpr std::array kReshapes{"flatten", "reshape", "squeeze", "unsqueeze"};
  return std::ranges::any_of(kReshapes, [&](char const* name) { return is_op(&node, name); });
}

}  // namespace tw
