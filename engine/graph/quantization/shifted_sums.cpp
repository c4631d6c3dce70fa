#include "engine/graph/quantization/shifted_sums.h"

#include <bit>

#include "engine/graph/operator.h"
#include "engine/graph/quantization/averages.h"
#include "engine/graph/quantization/values.h"

namespace tw {
namespace {

/// Averages of bytes that a product of bytes takes the factor of.
class Folder {
public:
  Folder(Graph graph, QuantizationPlan const& plan, GraphSamples& samples)
      : graph_(std::move(graph)),
        plan_(plan),
        samples_(samples),
        names_(graph_),
        readers_(consumers(graph_)) {}

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
  NodeId only_reader(ValueId id) const {
    auto const& readers = readers_[size_t(id.value)];
    return readers.size() == 1 && !is_output(graph_, id) ? readers[0] : NodeId();
  }

  /// The product of bytes behind the value, and the value in the shapes on the way to it. An
  /// invalid id: something else reads it.
  std::pair<NodeId, std::vector<ValueId>> product_behind(ValueId id) const {
    std::vector<ValueId> way{id};
    NodeId reader = only_reader(id);
    while (reader.valid() && only_reshapes(graph_.node(reader))) {
      way.push_back(graph_.node(reader).outputs[0]);
      reader = only_reader(way.back());
    }
    bool product = reader.valid() && plan_.products.contains(reader) &&
                   graph_.node(reader).inputs[0] == way.back();
    return {product ? reader : NodeId(), std::move(way)};
  }

  /// What follows the average and makes its value.
  std::optional<Node> fold(Node& pool) {
    auto windows = alike_windows(graph_, pool);
    if (!windows || !plan_.values.contains(pool.inputs[0])) return {};
    if (windows->count < 2 || std::has_single_bit(uint64_t(windows->count))) return {};
    auto [product, way] = product_behind(pool.outputs[0]);
    if (!product.valid()) return {};
    double factor = double(windows->count) / double(std::bit_ceil(uint64_t(windows->count)));
    ValueId& weights = graph_.nodes[size_t(product.value)].inputs[1];
    weights = scaled(weights, 1 / factor);
    ValueId shifted = pool.outputs[0];
    pool.outputs[0] = like(shifted, "/mean");
    samples_[pool.outputs[0]] = samples_[shifted];
    for (ValueId id : way) scale(samples_[id], factor);
    return times(pool, factor, pool.outputs[0], shifted);
  }

  static void scale(ValueSamples& samples, double factor) {
    samples.largest *= factor;
    for (float& element : samples.elements) element *= float(factor);
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
  QuantizationPlan const& plan_;
  GraphSamples& samples_;
  ValueNames names_;
  std::vector<std::vector<NodeId>> readers_;
};

}  // namespace

Graph with_shifted_sums(Graph graph, QuantizationPlan const& plan, GraphSamples& samples) {
  return Folder(std::move(graph), plan, samples).run();
}

}  // namespace tw
