#include "engine/graph/quantization/insert.h"

#include <algorithm>
#include <cmath>

#include "engine/graph/quantization/values.h"
#include "engine/graph/quantization/weight_channels.h"

namespace tw {
namespace {

class Inserter {
public:
  Inserter(Graph const& graph, QuantizationPlan const& plan, int weight_limit)
      : graph_(graph), names_(graph), plan_(plan), nodes_(graph.nodes), limit_(weight_limit) {
    graph_.nodes.clear();
  }

  Result<Inserted> run() {
    for (ValueId input : graph_.inputs)
      if (plan_.values.contains(input)) read_as_[input] = dequantized(input, {});
    for (size_t i = 0; i < nodes_.size(); ++i) add({int32_t(i)});
    return Inserted{std::move(graph_), std::move(products_)};
  }

private:
  void add(NodeId id) {
    Node node = nodes_[size_t(id.value)];
    for (ValueId& input : node.inputs)
      if (auto found = read_as_.find(input); found != read_as_.end()) input = found->second;
    if (auto found = plan_.products.find(id); found != plan_.products.end()) {
      int data = plan_.values.at(nodes_[size_t(id.value)].inputs[0]);
      take_bytes(node, data, found->second);
      std::vector<int> steps;
      for (int weights : found->second.weights) steps.push_back(data + weights);
      products_[NodeId{int32_t(graph_.nodes.size())}] = {id, std::move(steps)};
    }
    std::vector<ValueId> const named = node.outputs;
    std::vector<std::string> const origins = node.origins;
    for (ValueId& output : node.outputs) output = written(output);
    std::vector<ValueId> const made = node.outputs;
    graph_.nodes.push_back(std::move(node));
    for (size_t i = 0; i < named.size(); ++i)
      if (named[i].valid()) finish(made[i], named[i], origins);
  }

  /// What a node writes instead of a value: something is done to it before others read it.
  ValueId written(ValueId output) {
    if (!output.valid()) return output;
    if (plan_.sums.contains(output)) return like(output, "sum", DType::kF32);
    return plan_.values.contains(output) ? like(output, "float", DType::kF32) : output;
  }

  /// Half a step is added to a sum; what is to be bytes becomes bytes.
  void finish(ValueId made, ValueId named, std::vector<std::string> const& origins) {
    bool is_bytes = plan_.values.contains(named);
    if (auto sum = plan_.sums.find(named); sum != plan_.sums.end()) {
      NDArray half = NDArray::create(DType::kF32, {}).value();
      half.set_value(0, std::ldexp(0.5, sum->second));
      ValueId whole = is_bytes ? like(named, "float", DType::kF32) : named;
      push("add", {made, add_constant(graph_.value(named).name + "/half", half)}, whole, origins);
      made = whole;
    }
    if (is_bytes) make_from_bytes(made, named, origins);
  }

  /// Weights in bytes, and a bias of whole steps and half of the finest step of all that is added:
  /// no sum lies between two bytes then.
  void take_bytes(Node& node, int data, PlannedProduct const& product) {
    NDArray const weights = graph_.value(node.inputs[1]).constant;
    WeightChannels channels(node, weights);
    std::string name = graph_.value(node.inputs[1]).name;
    NDArray bytes = NDArray::create(DType::kI8, weights.shape()).value();
    for (int64_t i = 0; i < bytes.size(); ++i) {
      int exponent = product.weights[size_t(channels.channel_of(i))];
      bytes.set_value(i, std::clamp(std::nearbyint(std::ldexp(weights.value_at(i), -exponent)),
                                    double(-limit_), double(limit_)));
    }
    ValueId constant = add_constant(name + "/quantized", bytes);
    ValueId floats =
        add_value({name + "/dequantized", tensor_type(DType::kF32, weights.shape()), {}, {}});
    dequantize_weights(constant, product.weights, channels.axis(), floats, node.origins);
    node.inputs[1] = floats;
    if (node.type != "matmul") take_bias(node, data, product);
  }

  void dequantize_weights(ValueId bytes, std::vector<int> const& exponents, int64_t axis,
                          ValueId floats, std::vector<std::string> const& origins) {
    if (std::ranges::count(exponents, exponents.front()) == std::ssize(exponents)) {
      push("dequantize_linear", {bytes, scale(exponents.front()), zero(DType::kI8)}, floats,
           origins);
      return;
    }
    Shape shape{std::ssize(exponents)};
    NDArray steps = NDArray::create(DType::kF32, shape).value();
    for (int64_t i = 0; i < steps.size(); ++i)
      steps.set_value(i, std::ldexp(1, exponents[size_t(i)]));
    std::string const name = graph_.value(bytes).name;  // values move when one is added
    ValueId scales = add_constant(name + "/steps", steps);
    ValueId zeros = add_constant(name + "/zeros", NDArray::create(DType::kI8, shape).value());
    push("dequantize_linear", {bytes, scales, zeros}, floats, origins);
    graph_.nodes.back().attributes["axis"] = axis;
  }

  void take_bias(Node& node, int data, PlannedProduct const& product) {
    bool given = node.inputs.size() > 2 && node.inputs[2].valid();
    NDArray bias = given ? graph_.value(node.inputs[2]).constant : NDArray();
    std::string name = given ? graph_.value(node.inputs[2]).name : node.name + "/bias";
    NDArray stepped = NDArray::create(DType::kF32, {std::ssize(product.weights)}).value();
    for (int64_t i = 0; i < stepped.size(); ++i) {
      int exponent = data + product.weights[size_t(i)];
      double steps = given ? std::nearbyint(std::ldexp(bias.value_at(i), -exponent)) : 0;
      stepped.set_value(i,
                        std::ldexp(steps, exponent) + std::ldexp(0.5, product.finest[size_t(i)]));
    }
    node.inputs.resize(3);
    node.inputs[2] = add_constant(name + "/stepped", stepped);
  }

  /// What is read instead of `from`: its bytes as floats.
  ValueId dequantized(ValueId from, std::vector<std::string> const& origins) {
    ValueId to = like(from, "dequantized", DType::kF32);
    make_bytes(from, to, from, origins);
    return to;
  }

  void make_from_bytes(ValueId from, ValueId to, std::vector<std::string> const& origins) {
    make_bytes(from, to, to, origins);
  }

  /// With the step and type that the plan has for `planned`.
  void make_bytes(ValueId from, ValueId to, ValueId planned,
                  std::vector<std::string> const& origins) {
    ValueType type = graph_.value(from).type;
    type.dtype = plan_.unsigned_values.contains(planned) ? DType::kU8 : DType::kI8;
    ValueId step = scale(plan_.values.at(planned)), none = zero(*type.dtype);
    ValueId bytes = add_value({graph_.value(planned).name + "/quantized", type, {}, {}});
    push("quantize_linear", {from, step, none}, bytes, origins);
    push("dequantize_linear", {bytes, step, none}, to, origins);
  }

  void push(char const* op, std::vector<ValueId> inputs, ValueId output,
            std::vector<std::string> const& origins) {
    Node node;
    node.op = find_operator(op);
    node.type = op;
    node.name = graph_.value(output).name;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.origins = origins;
    graph_.nodes.push_back(std::move(node));
  }

  ValueId scale(int exponent) {
    auto [found, is_new] = scales_.try_emplace(exponent);
    if (is_new) {
      NDArray array = NDArray::create(DType::kF32, {}).value();
      array.set_value(0, std::ldexp(1, exponent));
      found->second = add_constant("2^" + std::to_string(exponent), array);
    }
    return found->second;
  }

  ValueId zero(DType type) {
    ValueId& zero = zeros_[type];
    if (!zero.valid()) zero = add_constant("zero", NDArray::create(type, {}).value());
    return zero;
  }

  ValueId like(ValueId id, char const* what, DType type) {
    Value value{graph_.value(id).name + "/" + what, graph_.value(id).type, {}, {}};
    value.type.dtype = type;
    return add_value(std::move(value));
  }

  ValueId add_constant(std::string const& name, NDArray const& array) {
    return add_value({name, tensor_type(array.type(), array.shape()), array, {}});
  }

  ValueId add_value(Value value) {
    value.name = names_.unused(value.name);
    return graph_.add_value(std::move(value));
  }

  Graph graph_;
  ValueNames names_;
  QuantizationPlan const& plan_;
  std::vector<Node> nodes_;             ///< of the graph as it came
  int limit_;                           ///< of weights
  std::map<ValueId, ValueId> read_as_;  ///< instead of inputs
  std::map<int, ValueId> scales_;
  std::map<DType, ValueId> zeros_;
  std::map<NodeId, InsertedProduct> products_;
};

}  // namespace

Result<Inserted> insert_quantization(Graph const& graph, QuantizationPlan const& plan,
                                     int weight_limit) {
  TRY_ASSIGN(Inserted inserted, Inserter(graph, plan, weight_limit).run());
  TRY(verify(inserted.graph));
  return inserted;
}

}  // namespace tw
