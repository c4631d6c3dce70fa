#include "engine/graph/quantization/averages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/graph/operator.h"
#include "engine/graph/quantization/values.h"
#include "engine/graph/shared/window.h"

namespace tw {
namespace {

bool is_op(Node const* node, std::string_view name) {
  return node && node->op && node->op->name == name;
}

/// The windows' attributes and how many elements each holds; empty: not all hold as many.
struct Windows {
  Attributes attributes;
  int64_t count = 0;
};
std::optional<Windows> windows_of(Graph const& graph, Node const& pool) {
  std::optional<Shape> shape = graph.value(pool.inputs[0]).shape();
  if (!shape || shape->size() < 3) return {};
  if (is_op(&pool, "global_average_pool")) {
    std::vector<int64_t> whole(shape->begin() + 2, shape->end());
    return Windows{{{"kernel", whole}}, element_count(whole).value_or(0)};
  }
  auto window = ops::window_of(pool.attributes, *shape);
  if (!is_op(&pool, "average_pool") || !window) return {};
  bool alike = std::ranges::all_of(window->beyond, [](int64_t n) { return n == 0; }) &&
               (!window->padded() || integer(pool.attributes, "count_padding") != 0);
  if (!alike) return {};
  Attributes attributes = pool.attributes;
  attributes.erase("count_padding");
  return Windows{std::move(attributes), element_count(window->kernel).value_or(0)};
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

/// Averages of the graph that a product takes the factor of.
class Folder {
public:
  explicit Folder(Graph graph)
      : graph_(std::move(graph)), names_(graph_), readers_(consumers(graph_)) {}

  Graph run() {
    std::vector<Node> made;
    std::vector<std::optional<Node>> behind(graph_.nodes.size());
    for (size_t i = 0; i < behind.size(); ++i) behind[i] = fold(graph_.nodes[i]);
    for (size_t i = 0; i < behind.size(); ++i) {
      made.push_back(std::move(graph_.nodes[i]));
      if (behind[i]) made.push_back(*std::move(behind[i]));
    }
    graph_.nodes = std::move(made);
    return std::move(graph_);
  }

private:
  Node* only_reader(ValueId id) {
    auto const& readers = readers_[size_t(id.value)];
    bool alone = readers.size() == 1 && !is_output(graph_, id);
    return alone ? &graph_.nodes[size_t(readers[0].value)] : nullptr;
  }

  /// The product behind the value, through reshaped ones; null: something else reads it.
  Node* product_behind(ValueId id) {
    Node* reader = only_reader(id);
    while (reader && only_reshapes(*reader) && reader->inputs[0] == id) {
      id = reader->outputs[0];
      reader = only_reader(id);
    }
    bool product = is_op(reader, "conv") || is_op(reader, "matmul") ||
                   (is_op(reader, "gemm") && integer(reader->attributes, "transpose_a") == 0);
    if (!product || reader->inputs[0] != id) return nullptr;
    NDArray const& weights = graph_.value(reader->inputs[1]).constant;
    return !weights.empty() && weights.type() == DType::kF32 ? reader : nullptr;
  }

  /// What follows the average and makes its value.
  std::optional<Node> fold(Node& pool) {
    if (!is_op(&pool, "average_pool") && !is_op(&pool, "global_average_pool")) return {};
    auto windows = windows_of(graph_, pool);
    if (!windows || windows->count < 2 || std::has_single_bit(uint64_t(windows->count))) return {};
    Node* product = product_behind(pool.outputs[0]);
    if (!product) return {};
    double factor = double(windows->count) / double(std::bit_ceil(uint64_t(windows->count)));
    product->inputs[1] = scaled(product->inputs[1], 1 / factor);
    ValueId shifted = pool.outputs[0];
    pool.outputs[0] = like(shifted, "/mean");
    return times(pool, factor, pool.outputs[0], shifted);
  }

  Node times(Node const& pool, double factor, ValueId mean, ValueId shifted) {
    NDArray number = NDArray::create(DType::kF32, {}).value();
    number.set_value(0, factor);
    ValueId constant = graph_.add_value({names_.unused(graph_.value(shifted).name + "/factor"),
                                         tensor_type(DType::kF32, {}),
                                         number,
                                         {}});
    Node mul;
    mul.op = find_operator("mul");
    mul.type = "mul";
    mul.name = graph_.value(shifted).name;
    mul.inputs = {mean, constant};
    mul.outputs = {shifted};
    mul.origins = pool.origins;
    return mul;
  }

  ValueId scaled(ValueId weights, double by) {
    NDArray array = NDArray::create(DType::kF32, graph_.value(weights).constant.shape()).value();
    for (int64_t i = 0; i < array.size(); ++i)
      array.set_value(i, graph_.value(weights).constant.value_at(i) * by);
    ValueId id = like(weights, "/scaled");
    graph_.value(id).constant = std::move(array);
    return id;
  }

  ValueId like(ValueId id, char const* what) {
    Value value{names_.unused(graph_.value(id).name + what), graph_.value(id).type, {}, {}};
    return graph_.add_value(std::move(value));
  }

  Graph graph_;
  ValueNames names_;
  std::vector<std::vector<NodeId>> readers_;
};

}  // namespace

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
  auto windows = node && node->op ? windows_of(graph, *node) : std::nullopt;
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

Graph with_shifted_sums(Graph graph) { return Folder(std::move(graph)).run(); }

}  // namespace tw
