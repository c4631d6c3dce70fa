#include "engine/graph/quantization/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/graph/operator.h"
#include "engine/graph/quantization/averages.h"
#include "engine/graph/quantization/weight_channels.h"

namespace tw {
namespace {

constexpr int kLimit = 127, kUnsignedLimit = 255;  // of bytes
constexpr double kMostSum = double(int64_t(1) << 29);
constexpr double kMostBias = double(int64_t(1) << 22);  // f32 holds it and half a step
constexpr int kMostCoarser = 12;                        // powers of two that weights may lose
constexpr int kMostPlaces = 15;                         // of a shift that a tensor holds

bool is_op(Node const& node, std::string_view name) { return node.op && node.op->name == name; }

class Planner {
public:
  Planner(Graph const& graph, GraphSamples const& samples, QuantizeOptions const& options)
      : graph_(graph),
        samples_(samples),
        options_(options),
        producers_(producers(graph)),
        consumers_(consumers(graph)) {}

  Result<QuantizationPlan> run() {
    TRY(check_kept());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) choose({int32_t(i)});
    for (size_t i = 0; i < graph_.nodes.size(); ++i) pool_bytes({int32_t(i)});
    for (size_t i = 0; i < graph_.nodes.size(); ++i) average_bytes({int32_t(i)});
    for (Node const& node : graph_.nodes) keep_steps(node);
    set_exponents();
    std::ranges::sort(plan_.nodes, {}, [](PlannedNode const& one) { return one.node; });
    return std::move(plan_);
  }

private:
  Status check_kept() const {
    for (std::string const& name : options_.keep)
      if (std::ranges::none_of(graph_.nodes,
                               [&](Node const& node) { return answers_to(node, name); }))
        return bad_input("unknown_node", fmt::format("the model has no node '{}'", name));
    return {};
  }

  static bool answers_to(Node const& node, std::string const& name) {
    return node.name == name || std::ranges::count(node.origins, name) > 0;
  }

  static bool is_product(Node const& node) {
    return is_op(node, "conv") || is_op(node, "gemm") || is_op(node, "matmul");
  }

  /// A depthwise convolution.
  bool multiplies_channels_alone(Node const& node) const {
    auto weights = graph_.value(node.inputs[1]).shape();
    return is_op(node, "conv") && integer(node.attributes, "group", 1) > 1 && weights &&
           weights->size() > 1 && (*weights)[1] == 1;
  }

  bool is_f32(ValueId id) const { return graph_.value(id).type.dtype == DType::kF32; }
  bool has_samples(ValueId id) const {
    auto found = samples_.find(id);
    return found != samples_.end() && !found->second.elements.empty();
  }
  bool is_input(ValueId id) const { return std::ranges::count(graph_.inputs, id) > 0; }

  /// Why a product stays in floats; empty: it need not.
  std::string obstacle(Node const& node) const {
    for (std::string const& name : options_.keep)
      if (answers_to(node, name)) return "it is kept as it is";
    ValueId x = node.inputs[0], w = node.inputs[1];
    if (is_op(node, "conv") && is_input(x) && !options_.first)
      return "it reads the model's input, whose channels are few";
    if (!is_op(node, "conv") && !options_.dense) return "it is a dense layer";
    if (multiplies_channels_alone(node) && !options_.depthwise)
      return "it multiplies each channel alone, which no accelerator does";
    if (!graph_.value(w).is_constant()) return "its weights are computed while the model runs";
    if (graph_.value(x).is_constant() || !is_f32(x) || !is_f32(w)) return "it is not of f32";
    if (!graph_.value(node.outputs[0]).shape()) return "an extent is not known";
    if (!has_samples(x) || !has_samples(node.outputs[0])) return "no calibration run computed it";
    return obstacle_of_parameters(node);
  }

  std::string obstacle_of_parameters(Node const& node) const {
    Shape const& w = graph_.value(node.inputs[1]).constant.shape();
    if (is_op(node, "conv")) return bias_fits(node, w[0]) ? "" : "its bias is not constant";
    if (w.size() != 2) return "its weights are no matrix";
    if (is_op(node, "matmul")) return "";
    if (number(node.attributes, "alpha", 1) != 1 || number(node.attributes, "beta", 1) != 1 ||
        integer(node.attributes, "transpose_a") != 0)
      return "it scales or transposes what it multiplies";
    int64_t columns = integer(node.attributes, "transpose_b") != 0 ? w[0] : w[1];
    return bias_fits(node, columns) ? "" : "its bias is not one number per column";
  }

  bool bias_fits(Node const& node, int64_t channels) const {
    if (node.inputs.size() < 3 || !node.inputs[2].valid()) return true;
    NDArray const& bias = graph_.value(node.inputs[2]).constant;
    return !bias.empty() && bias.size() == channels;
  }

  void choose(NodeId id) {
    Node const& node = graph_.node(id);
    if (is_product(node)) {
      PlannedNode planned = row_of(id);
      planned.row.reason = obstacle(node);
      planned.row.is_quantized = planned.row.reason.empty();
      if (planned.row.is_quantized) {
        plan_.values[node.inputs[0]] = 0;
        plan_.products[id] = {};
        planned.end = end_of(id);
        plan_.values[planned.end] = 0;
      }
      plan_.nodes.push_back(planned);
    } else if (is_op(node, "add") && !joined_.contains(id) &&
               !graph_.value(node.inputs[0]).is_constant() &&
               !graph_.value(node.inputs[1]).is_constant()) {
      waiting_.push_back(id);
    }
  }

  PlannedNode row_of(NodeId id) const {
    Node const& node = graph_.node(id);
    return {id, node.outputs[0], {node.name, title_of(graph_, node), false, {}, {}, {}, {}, {}}};
  }

  /// The only node that reads the value; none when there are several, or it is an output.
  NodeId only_reader(ValueId id) const {
    auto const& readers = consumers_[size_t(id.value)];
    return readers.size() == 1 && !is_output(graph_, id) ? readers.front() : NodeId();
  }

  /// Goes along additions and at last a relu or a clip that are done on the sums.
  ValueId end_of(NodeId id) {
    ValueId end = graph_.node(id).outputs[0];
    for (NodeId next = only_reader(end); next.valid(); next = only_reader(end)) {
      Node const& node = graph_.node(next);
      if (is_op(node, "add") && !joined_.contains(next) && adds_tensor(node, end)) {
        ValueId other = node.inputs[0] == end ? node.inputs[1] : node.inputs[0];
        plan_.values[other] = 0;
        joined_.insert(next);
        PlannedNode sum = row_of(next);
        sum.row.is_quantized = true;
        sum.row.reason = fmt::format("added to the sums of {}", graph_.node(id).name);
        plan_.nodes.push_back(sum);
        joins_[id].push_back(other);
        end = node.outputs[0];
        continue;
      }
      if (is_bound(node)) end = node.outputs[0];
      break;
    }
    return end;
  }

  bool is_bound(Node const& node) const {
    return is_op(node, "relu") || (is_op(node, "clip") && has_constant_bounds(node));
  }

  bool has_constant_bounds(Node const& node) const {
    for (size_t i = 1; i < node.inputs.size(); ++i)
      if (node.inputs[i].valid() && !graph_.value(node.inputs[i]).is_constant()) return false;
    return true;
  }

  bool adds_tensor(Node const& node, ValueId sum) const {
    ValueId other = node.inputs[0] == sum ? node.inputs[1] : node.inputs[0];
    return other != sum && !graph_.value(other).is_constant() && has_samples(other) &&
           has_samples(node.outputs[0]) && graph_.value(other).shape() == graph_.value(sum).shape();
  }

  /// The largest of bytes is the largest byte.
  void pool_bytes(NodeId id) {
    Node const& node = graph_.node(id);
    if (!is_op(node, "max_pool") || !plan_.values.contains(node.inputs[0]) ||
        !has_samples(node.outputs[0]) || node.outputs.size() > 1)
      return;
    plan_.values[node.outputs[0]] = 0;
    same_as_[node.outputs[0]] = node.inputs[0];
    PlannedNode planned = row_of(id);
    planned.row.is_quantized = true;
    plan_.nodes.push_back(planned);
  }

  Node const* maker(ValueId id) const {
    NodeId made = producers_[size_t(id.value)];
    return made.valid() ? &graph_.node(made) : nullptr;
  }

  /// A bound of bytes that are read elsewhere, too: in coarser steps halves would be rounded.
  void keep_steps(Node const& node) {
    if (is_bound(node) && plan_.values.contains(node.inputs[0]) &&
        plan_.values.contains(node.outputs[0]))
      same_as_[node.outputs[0]] = node.inputs[0];
  }

  /// The value, or it in another shape, where that is to be bytes; invalid: it is not.
  ValueId read_as_bytes(ValueId id) const {
    while (!plan_.values.contains(id)) {
      NodeId next = only_reader(id);
      if (!next.valid() || !only_reshapes(graph_.node(next))) return {};
      id = graph_.node(next).outputs[0];
    }
    return id;
  }

  /// An average of bytes that a product reads as bytes, perhaps in another shape.
  void average_bytes(NodeId id) {
    Node const& node = graph_.node(id);
    bool average = is_op(node, "average_pool") || is_op(node, "global_average_pool");
    if (!average || !plan_.values.contains(node.inputs[0])) return;
    PlannedNode planned = row_of(id);
    NodeId next = only_reader(planned.end);
    if (next.valid() && is_op(graph_.node(next), "mul")) planned.end = graph_.node(next).outputs[0];
    auto sum = shifted_sum(
        graph_, [this](ValueId value) { return maker(value); }, planned.end);
    next = only_reader(planned.end);
    if (!plan_.values.contains(planned.end) && next.valid() && is_bound(graph_.node(next)))
      planned.end = graph_.node(next).outputs[0];
    ValueId read = read_as_bytes(planned.end);
    if (!read.valid() && next.valid() && is_op(graph_.node(next), "add"))
      return;  // whose row says it
    if (!read.valid())
      planned.row.reason = "nothing behind it reads bytes";
    else if (!sum || !has_samples(planned.end))
      planned.row.reason = "dividing by the elements of its windows is no shift";
    else
      planned.row.is_quantized = true;
    plan_.nodes.push_back(planned);
    if (!planned.row.is_quantized) return;
    plan_.values[planned.end] = 0;
    sums_[planned.end] = {node.inputs[0], sum->shift};
    if (read != planned.end) same_as_[read] = planned.end;
  }

  void set_exponents() {
    for (auto& [id, exponent] : plan_.values) {
      ValueSamples const& samples = samples_.at(id);
      bool in_u8 = options_.unsigned_data && never_negative(id);
      if (in_u8) plan_.unsigned_values.insert(id);
      exponent = best_exponent(samples.elements, samples.largest, in_u8 ? kUnsignedLimit : kLimit);
    }
    std::map<NodeId, PlannedNode const*> products;
    for (PlannedNode const& planned : plan_.nodes)
      if (plan_.products.contains(planned.node)) products[planned.node] = &planned;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (ValueId id : graph_.nodes[i].outputs) follow_operand(id);
      if (auto found = products.find({int32_t(i)}); found != products.end())
        set_weights(*found->second);
    }
    for (auto& [id, product] : plan_.products) set_finest(id, product);
    for (auto const& [id, exponent] : plan_.values) find_sum(id, exponent);
    for (NodeId id : waiting_) describe_sum(id);
    for (PlannedNode& planned : plan_.nodes) describe(planned);
  }

  /// What has the steps of what it is made of, or steps that its sums can be shifted to.
  void follow_operand(ValueId id) {
    if (auto same = same_as_.find(id); same != same_as_.end())
      plan_.values[id] = plan_.values[same->second];
    if (auto sum = sums_.find(id); sum != sums_.end())
      plan_.values[id] =
          std::max(plan_.values[id], plan_.values[sum->second.of] - sum->second.shift + 1);
  }

  /// By what makes it, whatever the model is given.
  bool never_negative(ValueId id) const {
    Node const* node = maker(id);
    if (!node) return false;
    if (is_op(*node, "relu")) return true;
    if (is_op(*node, "clip")) {
      bool given = node->inputs.size() > 1 && node->inputs[1].valid();
      NDArray const& low = given ? graph_.value(node->inputs[1]).constant : NDArray();
      return given ? low.size() == 1 && !low.empty() && low.value_at(0) >= 0
                   : number(node->attributes, "min", -1) >= 0;
    }
    bool keeps = is_op(*node, "max_pool") || is_op(*node, "average_pool") ||
                 is_op(*node, "global_average_pool") || only_reshapes(*node);
    return keeps && never_negative(node->inputs[0]);
  }

  /// No byte of the value is larger.
  double most_of(ValueId id) const { return plan_.unsigned_values.contains(id) ? 255 : 128; }

  void set_finest(NodeId id, PlannedProduct& product) const {
    int data = plan_.values.at(graph_.node(id).inputs[0]);
    for (int weights : product.weights) {
      int finest = data + weights;
      for (ValueId other : others_of(id)) finest = std::min(finest, plan_.values.at(other));
      product.finest.push_back(finest);
    }
  }

  void set_weights(PlannedNode const& planned) {
    Node const& node = graph_.node(planned.node);
    WeightChannels channels(node, graph_.value(node.inputs[1]).constant);
    int limit = (1 << (options_.weight_bits - 1)) - 1, data = plan_.values[node.inputs[0]];
    std::vector<int> exponents = channels.exponents(limit, options_.one_weight_step);
    for (int64_t c = 0; c < channels.count(); ++c) {
      int& exponent = exponents[size_t(c)];
      int const most = exponent + kMostCoarser;
      while (exponent < most && !fits(planned.node, channels, c, exponent)) ++exponent;
    }
    if (options_.one_weight_step) std::ranges::fill(exponents, std::ranges::max(exponents));
    // A result is shifted from the sums: half a step of theirs decides nothing else.
    int& result = plan_.values[planned.end];
    result = std::max(result, std::ranges::max(exponents) + data + 1);
    for (int& exponent : exponents) exponent = std::max(exponent, result - data - kMostPlaces);
    plan_.products[planned.node].weights = std::move(exponents);
  }

  /// What is added to the sums of a product.
  std::vector<ValueId> others_of(NodeId id) const {
    auto found = joins_.find(id);
    return found == joins_.end() ? std::vector<ValueId>() : found->second;
  }

  /// Whether sums of a channel stay within 32 bits, whatever the bytes are, and its bias within
  /// f32.
  bool fits(NodeId id, WeightChannels const& channels, int64_t channel, int exponent) const {
    Node const& node = graph_.node(id);
    int sum = plan_.values.at(node.inputs[0]) + exponent, finest = sum;
    double most =
        most_of(node.inputs[0]) * std::ldexp(channels.sum_of_magnitudes(channel), -exponent);
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      double bias = graph_.value(node.inputs[2]).constant.value_at(channel);
      double steps = std::ldexp(std::abs(bias), -sum);
      if (steps > kMostBias) return false;
      most += steps;
    }
    std::vector<ValueId> others = others_of(id);
    for (ValueId other : others) finest = std::min(finest, plan_.values.at(other));
    most = std::ldexp(most, sum - finest);
    for (ValueId other : others)
      most += std::ldexp(most_of(other), plan_.values.at(other) - finest);
    return most < kMostSum;
  }

  /// A sum or an average of bytes, perhaps below a relu or a clip, that becomes bytes again.
  void find_sum(ValueId id, int exponent) {
    NodeId made = producers_[size_t(id.value)];
    if (made.valid() && (is_op(graph_.node(made), "relu") || is_op(graph_.node(made), "clip"))) {
      id = graph_.node(made).inputs[0];
      if (only_reader(id) != made) return;
      made = producers_[size_t(id.value)];
    }
    if (!made.valid() || joined_.contains(made)) return;
    bool adds = is_op(graph_.node(made), "add");
    std::optional<int> finest = adds ? finest_of(graph_.node(made)) : finest_of_average(id);
    if (finest && *finest < exponent) plan_.sums[id] = *finest;
  }

  /// Of what an addition adds, through additions whose results it alone reads; empty: of floats.
  std::optional<int> finest_of(Node const& sum) const {
    std::optional<int> finest;
    for (ValueId id : sum.inputs) {
      std::optional<int> own;
      NodeId made = producers_[size_t(id.value)];
      if (auto found = plan_.values.find(id); found != plan_.values.end())
        own = found->second;
      else if (made.valid() && is_op(graph_.node(made), "add") && only_reader(id).valid())
        own = finest_of(graph_.node(made));
      else if (only_reader(id).valid())
        own = finest_of_average(id);
      if (!own) return std::nullopt;
      finest = finest ? std::min(*finest, *own) : *own;
    }
    return finest;
  }

  /// Of an average of bytes; empty: it is something else.
  std::optional<int> finest_of_average(ValueId id) const {
    auto sum = shifted_sum(
        graph_, [this](ValueId value) { return maker(value); }, id);
    if (!sum || (sum->factor && !only_reader(sum->pool->outputs[0]).valid())) return std::nullopt;
    auto bytes = plan_.values.find(sum->pool->inputs[0]);
    return bytes == plan_.values.end() ? std::nullopt : std::optional(bytes->second - sum->shift);
  }

  void describe_sum(NodeId id) {
    if (joined_.contains(id)) return;
    PlannedNode planned = row_of(id);
    if (NodeId next = only_reader(planned.end);
        next.valid() && !plan_.values.contains(planned.end) && is_op(graph_.node(next), "relu"))
      planned.end = graph_.node(next).outputs[0];
    planned.row.is_quantized = plan_.sums.contains(graph_.node(id).outputs[0]);
    if (!planned.row.is_quantized) planned.row.reason = "no int8 convolution produces its operands";
    plan_.nodes.push_back(planned);
  }

  void describe(PlannedNode& planned) const {
    Node const& node = graph_.node(planned.node);
    auto exponent = [&](ValueId id) {
      auto found = plan_.values.find(id);
      return found == plan_.values.end() ? std::nullopt : std::optional(found->second);
    };
    if (!planned.row.is_quantized) return;
    planned.row.data = exponent(node.inputs[0]);
    if (joined_.contains(planned.node) && !planned.row.data)
      planned.row.data = exponent(node.inputs[1]);
    if (auto found = plan_.products.find(planned.node); found != plan_.products.end()) {
      auto [finest, coarsest] = std::ranges::minmax(found->second.weights);
      planned.row.finest_weights = finest, planned.row.weights = coarsest;
    }
    planned.row.result = exponent(planned.end);
  }

  Graph const& graph_;
  GraphSamples const& samples_;
  QuantizeOptions const& options_;
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
  QuantizationPlan plan_;
  std::set<NodeId> joined_;                       ///< additions that are done on sums
  std::map<NodeId, std::vector<ValueId>> joins_;  ///< by product: what is added to its sums
  std::map<ValueId, ValueId> same_as_;            ///< what has the steps of another value
  struct Sum {
    ValueId of;
    int shift;
  };
  std::map<ValueId, Sum> sums_;  ///< averages
  std::vector<NodeId> waiting_;  ///< additions that may be joined yet
};

}  // namespace

Result<QuantizationPlan> plan_quantization(Graph const& graph, GraphSamples const& samples,
                                           QuantizeOptions const& options) {
  return Planner(graph, samples, options).run();
}

}  // namespace tw
