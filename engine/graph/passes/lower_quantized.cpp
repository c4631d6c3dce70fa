// quantize_linear(relu(conv(dequantize_linear(x), dequantize_linear(w), b)))  -->
// requantize(conv_integer(x, w) + b), and so for matrix products, sums of two tensors and pools,
// where every scale is a power of two and every zero point is 0: then nothing but integers is
// needed, and a change of scale is a shift.
//
// A bias is taken down to a whole number of the sum's steps, which changes no result but where the
// sum lies exactly between two bytes: there the integers round up, and floats to the even byte.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/graph/pipeline.h"
#include "engine/graph/quantization/averages.h"
#include "engine/graph/quantization/values.h"

namespace tw {
namespace {

constexpr double kMostSum = double(int64_t(1) << 30);  // i32 holds it and half a step

/// Integers that stand for a float tensor: its elements are theirs times 2^exponent.
struct Steps {
  ValueId value;
  bool is_bytes = false;
  int exponent = 0;
  double most = 0;    ///< no element is larger, whatever the bytes are
  NDArray bias = {};  ///< in floats, one per channel: still to be added
  ValueId bias_of = {};
};

class QuantizedLowerer {
public:
  explicit QuantizedLowerer(Graph const& graph)
      : graph_(graph),
        names_(graph),
        nodes_(graph.nodes),
        producers_(producers(graph)),
        consumers_(consumers(graph)) {
    graph_.nodes.clear();
  }

  Graph run() {
    for (Node const& node : nodes_) {
      pending_.clear();
      bool lowered = node.op && node.op->name == "quantize_linear" && lower(node);
      if (!lowered) pending_ = {node};
      for (Node& made : pending_) graph_.nodes.push_back(std::move(made));
    }
    return std::move(graph_);
  }

private:
  Node const* maker(ValueId id) const {
    NodeId made = id.valid() ? producers_[size_t(id.value)] : NodeId();
    return made.valid() ? &nodes_[size_t(made.value)] : nullptr;
  }
  /// The node that makes a value, if it is of this operator.
  Node const* maker(ValueId id, std::string_view op) const {
    Node const* node = maker(id);
    return node && node->op && node->op->name == op ? node : nullptr;
  }
  bool is_read_once(ValueId id) const {
    return consumers_[size_t(id.value)].size() == 1 && !is_output(graph_, id);
  }
  NDArray const& constant(ValueId id) const { return graph_.value(id).constant; }
  /// What a relu or a clip leaves.
  struct Bounds {
    double low = -INFINITY, high = INFINITY;
  };

  /// The exponent of a scale that is a power of two, with a zero point that is 0 or absent.
  std::optional<int> exponent_of(Node const& node) const {
    if (!node.inputs[1].valid()) return std::nullopt;
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      NDArray const& zero = constant(node.inputs[2]);
      if (zero.size() != 1 || zero.value_at(0) != 0) return std::nullopt;
    }
    return power_of_two(constant(node.inputs[1]));
  }

  /// Empty: not made of bytes, or read by somebody else as floats.
  std::optional<Steps> bytes_of(ValueId id) const {
    Node const* node = maker(id, "dequantize_linear");
    auto info = node ? tensor_info(graph_.value(node->inputs[0])) : std::nullopt;
    if (!info || (info->type != DType::kI8 && info->type != DType::kU8)) return std::nullopt;
    if (graph_.value(id).type.dtype != DType::kF32) return std::nullopt;
    std::optional<int> exponent = exponent_of(*node);
    if (!exponent) return std::nullopt;
    return Steps{node->inputs[0], true, *exponent, info->type == DType::kI8 ? 128.0 : 255.0};
  }

  std::optional<Steps> steps_of(ValueId id) {
    if (auto bytes = bytes_of(id)) return bytes;
    if (!is_read_once(id)) return std::nullopt;
    std::optional<Steps> steps;
    Node const* node = nullptr;
    if ((node = maker(id, "conv")))
      steps = steps_of_product(*node, "conv_integer");
    else if ((node = maker(id, "gemm")))
      steps = steps_of_product(*node, "matmul_integer");
    else if ((node = maker(id, "matmul")))
      steps = steps_of_product(*node, "matmul_integer");
    else if ((node = maker(id, "max_pool")))
      steps = steps_of_moved(*node);
    else if ((node = maker(id, "add")))
      steps = steps_of_sum(*node);
    else if ((node = maker(id)) && only_reshapes(*node))
      steps = steps_of_moved(*node);
    else if (auto sum = shifted_sum(
                 graph_, [this](ValueId of) { return maker(of); }, id))
      steps = steps_of_average(*sum);
    if (steps && node) origins_.insert(origins_.end(), node->origins.begin(), node->origins.end());
    return steps;
  }

  /// A bias in whole steps, in the shape that broadcasts over the result.
  static NDArray whole_steps(NDArray const& bias, Shape const& result, int exponent) {
    // Blocks of images or rows are read by whole ones: then each has its own.
    Shape shape(result.size(), 1);
    shape[0] = result[0];
    shape[1] = bias.size();
    NDArray steps = NDArray::create(DType::kI32, shape).value();
    for (int64_t i = 0; i < steps.size(); ++i)
      steps.set_value(i, std::floor(std::ldexp(bias.value_at(i % bias.size()), -exponent)));
    return steps;
  }

  /// The largest of a bias that can be added to each channel; empty: it cannot.
  std::optional<double> largest(NDArray const& bias, Shape const& result, int exponent) const {
    if (result.size() < 2 || bias.type() != DType::kF32 || bias.size() != result[1])
      return std::nullopt;
    double most = 0;
    for (float one : bias.as<float>()) {
      double steps = std::abs(std::ldexp(double(one), -exponent));
      if (!(steps < kMostSum)) return std::nullopt;
      most = std::max(most, steps + 1);
    }
    return most;
  }

  /// The weights as the integer operator reads them, and the largest sum that they can make of
  /// bytes up to `most`.
  struct Weights {
    NDArray elements;
    double most;
  };
  std::optional<Weights> weights_of(Node const& node, Steps const& weights, double most) const {
    NDArray elements = constant(weights.value);
    if (elements.empty() || elements.shape().size() < 2) return std::nullopt;
    bool by_rows = node.type == "conv" || integer(node.attributes, "transpose_b") != 0;
    int64_t rows = elements.shape()[0], columns = elements.size() / std::max<int64_t>(1, rows);
    std::vector<double> sums(size_t(by_rows ? rows : columns));
    for (int64_t i = 0; i < elements.size(); ++i)
      sums[size_t(by_rows ? i / columns : i % columns)] += std::abs(elements.value_at(i));
    double largest = sums.empty() ? 0 : std::ranges::max(sums);
    if (node.type == "gemm" && by_rows) elements = transposed(elements);
    return Weights{elements, largest * most};
  }

  static bool is_plain_product(Node const& node) {
    return node.type != "gemm" ||
           (number(node.attributes, "alpha", 1) == 1 && number(node.attributes, "beta", 1) == 1 &&
            integer(node.attributes, "transpose_a") == 0);
  }

  /// conv, gemm or matmul of bytes with constant bytes, and its bias.
  std::optional<Steps> steps_of_product(Node const& node, char const* op) {
    auto x = bytes_of(node.inputs[0]), w = bytes_of(node.inputs[1]);
    std::optional<Shape> shape = graph_.value(node.outputs[0]).shape();
    if (!x || !w || !shape || !is_plain_product(node)) return std::nullopt;
    std::optional<Weights> weights = weights_of(node, *w, x->most);
    if (!weights || (node.type != "conv" && weights->elements.shape().size() != 2))
      return std::nullopt;
    Steps steps{{}, false, x->exponent + w->exponent, weights->most};
    ValueId parameter = w->value;
    if (weights->elements.shape() != constant(w->value).shape())
      parameter = add_constant(graph_.value(w->value).name + "/transposed", weights->elements);
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      steps.bias_of = node.inputs[2];
      steps.bias = constant(steps.bias_of);
      std::optional<double> most = largest(steps.bias, *shape, steps.exponent);
      if (!most) return std::nullopt;
      steps.most += *most;
    }
    if (steps.most >= kMostSum) return std::nullopt;
    Attributes attributes = node.type == "conv" ? node.attributes : Attributes{};
    steps.value = emit(op, attributes, {x->value, parameter}, node.outputs[0], DType::kI32, "sum");
    return steps;
  }

  /// The largest of bytes, and bytes in another shape, are bytes.
  std::optional<Steps> steps_of_moved(Node const& node) {
    std::optional<Steps> steps = bytes_of(node.inputs[0]);
    if (!steps && only_reshapes(node)) steps = steps_of(node.inputs[0]);
    if (!steps || !steps->is_bytes || node.inputs.size() > 1) return std::nullopt;
    DType type = *graph_.value(steps->value).type.dtype;
    steps->value =
        emit(node.type.c_str(), node.attributes, {steps->value}, node.outputs[0], type, "bytes");
    return steps;
  }

  /// The windows' sums, whose steps are finer than those of the bytes.
  std::optional<Steps> steps_of_average(ShiftedSum const& sum) {
    if (sum.factor && !is_read_once(sum.pool->outputs[0])) return std::nullopt;
    std::optional<Steps> bytes = bytes_of(sum.pool->inputs[0]);
    Steps steps{{}, false, 0, 0};
    if (bytes) steps.most = bytes->most * double(sum.count);
    if (!bytes || !(steps.most < kMostSum)) return std::nullopt;
    for (Node const* node : {sum.pool, sum.factor})
      if (node) origins_.insert(origins_.end(), node->origins.begin(), node->origins.end());
    steps.exponent = bytes->exponent - sum.shift;
    steps.value =
        emit("sum_pool", sum.window, {bytes->value}, sum.pool->outputs[0], DType::kI32, "sum");
    return steps;
  }

  /// Both in the finer steps of the two.
  std::optional<Steps> steps_of_sum(Node const& node) {
    if (constant(node.inputs[1]).size() == 1 && !constant(node.inputs[1]).empty())
      return steps_of_shifted(node);
    std::optional<Shape> shape = graph_.value(node.outputs[0]).shape();
    for (ValueId id : node.inputs)
      if (!shape || graph_.value(id).shape() != shape) return std::nullopt;
    auto a = steps_of(node.inputs[0]), b = steps_of(node.inputs[1]);
    if (!a || !b) return std::nullopt;
    Steps sum{{}, false, std::min(a->exponent, b->exponent), 0};
    sum.most = std::ldexp(a->most, a->exponent - sum.exponent) +
               std::ldexp(b->most, b->exponent - sum.exponent);
    if (!(sum.most < kMostSum)) return std::nullopt;
    ValueId left = in_steps(*a, sum.exponent), right = in_steps(*b, sum.exponent);
    sum.value = emit("add", {}, {left, right}, node.outputs[0], DType::kI32, "sum");
    return sum;
  }

  /// A number more, taken down to whole steps.
  std::optional<Steps> steps_of_shifted(Node const& node) {
    std::optional<Steps> steps = steps_of(node.inputs[0]);
    if (!steps || graph_.value(node.inputs[0]).shape() != graph_.value(node.outputs[0]).shape())
      return std::nullopt;
    double whole = std::floor(std::ldexp(constant(node.inputs[1]).value_at(0), -steps->exponent));
    if (!(std::abs(whole) + steps->most < kMostSum)) return std::nullopt;
    if (whole == 0) return steps;
    NDArray number = NDArray::create(DType::kI32, {}).value();
    number.set_value(0, whole);
    ValueId sum = in_steps(*steps, steps->exponent);
    ValueId shifted =
        emit("add", {}, {sum, add_constant("number", number)}, node.outputs[0], DType::kI32, "sum");
    return Steps{shifted, false, steps->exponent, steps->most + std::abs(whole)};
  }

  /// The same in i32 and in steps that may be finer, with its bias.
  ValueId in_steps(Steps const& steps, int exponent) {
    int64_t shift = steps.exponent - exponent;
    ValueId value = steps.value;
    if (steps.is_bytes || shift > 0)
      value = emit("widen", {{"shift", shift}}, {value}, steps.value, DType::kI32, "wide");
    if (steps.bias.empty()) return value;
    Shape shape = graph_.value(steps.value).shape().value();
    ValueId bias = add_constant(graph_.value(steps.bias_of).name + "/steps",
                                whole_steps(steps.bias, shape, exponent));
    return emit("add", {}, {value, bias}, steps.value, DType::kI32, "biased");
  }

  /// Of the relu or clip that makes `id`, which becomes what that reads. Empty: others read it,
  /// too.
  std::optional<Bounds> bounds_of(ValueId& id) const {
    Bounds bounds;
    if (Node const* relu = maker(id, "relu")) {
      bounds.low = 0;
      id = is_read_once(id) ? relu->inputs[0] : ValueId();
    } else if (Node const* clip = maker(id, "clip")) {
      auto bound = [&](size_t i, char const* name, double otherwise) {
        if (i >= clip->inputs.size() || !clip->inputs[i].valid())
          return number(clip->attributes, name, otherwise);
        NDArray const& given = constant(clip->inputs[i]);
        return given.size() == 1 ? given.value_at(0) : double(NAN);
      };
      bounds = {bound(1, "min", -INFINITY), bound(2, "max", INFINITY)};
      id = is_read_once(id) ? clip->inputs[0] : ValueId();
    }
    return id.valid() ? std::optional(bounds) : std::nullopt;
  }

  /// A bound as the result's bytes, `otherwise` where it is beyond them.
  static std::optional<int64_t> bound_in_bytes(double bound, int exponent, int64_t low,
                                               int64_t high) {
    double steps = std::ldexp(bound, -exponent);
    if (steps <= double(low)) return low;
    if (steps >= double(high)) return high;
    if (steps != std::floor(steps)) return std::nullopt;
    return int64_t(steps);
  }

  bool lower(Node const& node) {
    std::optional<int> exponent = exponent_of(node);
    auto type = graph_.value(node.outputs[0]).type.dtype;
    if (!exponent || !type || (*type != DType::kI8 && *type != DType::kU8)) return false;
    ValueId from = node.inputs[0];
    origins_ = node.origins;
    std::optional<Bounds> bounds = bounds_of(from);
    std::optional<Steps> steps = bounds ? steps_of(from) : std::nullopt;
    if (!steps) return false;
    int64_t shift = *exponent - steps->exponent;
    int64_t least = *type == DType::kI8 ? -128 : 0, most = *type == DType::kI8 ? 127 : 255;
    auto low = bound_in_bytes(bounds->low, *exponent, least, most),
         high = bound_in_bytes(bounds->high, *exponent, least, most);
    if (shift < 0 || shift > 31 || !low || !high || *low > *high) return false;
    if (steps->most + std::ldexp(1, int(shift)) >= 2 * kMostSum) return false;
    bool whole = *low == least && *high == most;
    bool pooled = steps->is_bytes && !pending_.empty() && shift == 0 && whole &&
                  graph_.value(steps->value).type.dtype == type;
    if (pooled)  // bytes already, with the scale that is wanted
      pending_.back().outputs[0] = node.outputs[0];
    else
      requantize(*steps, node.outputs[0],
                 {{"shift", shift},
                  {"low", *low},
                  {"high", *high},
                  {"type", std::string(to_text(*type))}});
    pending_.back().name = node.name;
    for (Node& made : pending_) made.origins = origins_;
    return true;
  }

  void requantize(Steps const& steps, ValueId output, Attributes attributes) {
    ValueId sums = in_steps(steps, steps.exponent);
    pending_.push_back(made_node("requantize", std::move(attributes), {sums}, output));
  }

  Node made_node(char const* op, Attributes attributes, std::vector<ValueId> inputs,
                 ValueId output) const {
    Node node;
    node.op = find_operator(op);
    node.type = op;
    node.name = graph_.value(output).name;
    node.attributes = std::move(attributes);
    node.inputs = std::move(inputs);
    node.outputs = {output};
    return node;
  }

  /// A node whose result has the extents of `like`.
  ValueId emit(char const* op, Attributes attributes, std::vector<ValueId> inputs, ValueId like,
               DType type, char const* what) {
    Value value;
    value.name = names_.unused(graph_.value(like).name + "/" + what);
    value.type = graph_.value(like).type;
    value.type.dtype = type;
    ValueId made = graph_.add_value(std::move(value));
    pending_.push_back(made_node(op, std::move(attributes), std::move(inputs), made));
    return made;
  }

  ValueId add_constant(std::string const& name, NDArray const& elements) {
    return graph_.add_value(
        {names_.unused(name), tensor_type(elements.type(), elements.shape()), elements});
  }

  Graph graph_;
  ValueNames names_;
  std::vector<Node> nodes_;  ///< of the graph as it came
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
  std::vector<Node> pending_;         ///< what stands for a quantization
  std::vector<std::string> origins_;  ///< of what it stands for
};

}  // namespace

GraphPass lower_quantized() {
  return {"lower_quantized",
          "computes in integers what stands between a dequantization and a quantization, where "
          "scales are powers of two",
          "first: folding would turn quantized weights back into floats",
          [](Graph const& graph, PassChoices const&) -> Result<Graph> {
            return QuantizedLowerer(graph).run();
          }};
}

}  // namespace tw
