#include "engine/graph/quantization/equalize.h"

#include <algorithm>
#include <cmath>

#include "engine/graph/operator.h"
#include "engine/graph/quantization/values.h"

namespace tw {
namespace {

constexpr int kMostFactor = 8;  // powers of two in one round

bool is_op(Node const& node, std::string_view name) { return node.op && node.op->name == name; }

/// Where the weights of a channel lie: of what makes it rows, of what reads it columns.
class Channels {
public:
  Channels(Node const& conv, NDArray const& weights) : shape_(weights.shape()) {
    taps_ = 1;
    for (size_t i = 2; i < shape_.size(); ++i) taps_ *= shape_[i];
    groups_ = integer(conv.attributes, "group", 1);
  }

  bool is_alone() const { return groups_ > 1 && shape_[1] == 1; }
  int64_t made() const { return shape_[0]; }
  int64_t read() const { return shape_[1] * groups_; }
  /// Calls `visit(weight)` for each weight of the channel that is made.
  template <typename Visit>
  void each_of_made(int64_t channel, std::span<float> weights, Visit&& visit) const {
    int64_t row = shape_[1] * taps_;
    for (int64_t i = 0; i < row; ++i) visit(weights[size_t(channel * row + i)]);
  }
  /// The same of the channel that is read: in the rows of its group.
  template <typename Visit>
  void each_of_read(int64_t channel, std::span<float> weights, Visit&& visit) const {
    int64_t rows = shape_[0] / groups_, group = channel / shape_[1], column = channel % shape_[1];
    for (int64_t r = group * rows; r < (group + 1) * rows; ++r)
      for (int64_t t = 0; t < taps_; ++t)
        visit(weights[size_t((r * shape_[1] + column) * taps_ + t)]);
  }

private:
  Shape shape_;
  int64_t taps_ = 1, groups_ = 1;
};

class Equalizer {
public:
  Equalizer(Graph graph, std::set<NodeId> const& products, GraphSamples const& samples)
      : graph_(std::move(graph)),
        names_(graph_),
        products_(products),
        samples_(samples),
        readers_(consumers(graph_)) {}

  Equalized run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) find_pair({int32_t(i)});
    for (auto const& [second, first] : pairs_)
      for (NodeId id : {first, second}) own_constants(id);
    for (auto const& [second, first] : pairs_) equalize(first, second);
    if (!changed_) pairs_.clear();
    return {std::move(graph_), std::move(pairs_)};
  }

private:
  bool is_product(NodeId id) const {
    return products_.contains(id) && is_op(graph_.node(id), "conv") &&
           graph_.value(graph_.node(id).inputs[1]).constant.type() == DType::kF32;
  }
  NodeId only_reader(ValueId id) const {
    auto const& readers = readers_[size_t(id.value)];
    return readers.size() == 1 && !is_output(graph_, id) ? readers.front() : NodeId();
  }

  void find_pair(NodeId id) {
    if (!is_product(id)) return;
    NodeId next = only_reader(graph_.node(id).outputs[0]);
    if (next.valid() && is_op(graph_.node(next), "relu"))
      next = only_reader(graph_.node(next).outputs[0]);
    if (!next.valid() || !is_product(next)) return;
    Channels first = channels(id), second = channels(next);
    bool alone = first.is_alone() || second.is_alone();
    if (alone && first.made() == second.read()) pairs_[next] = id;
  }

  /// Others may read the same weights.
  void own_constants(NodeId id) {
    for (size_t i = 1; i < graph_.node(id).inputs.size(); ++i) {
      ValueId input = graph_.node(id).inputs[i];
      if (!input.valid() || !owned_.insert({id, i}).second) continue;
      Value copy = graph_.value(input);
      auto own = NDArray::create(copy.constant.type(), copy.constant.shape());
      if (!own) continue;
      std::ranges::copy(copy.constant.as<float>(), own->as<float>().begin());
      copy.constant = *std::move(own);
      copy.name = names_.unused(copy.name + "/equalized");
      graph_.nodes[size_t(id.value)].inputs[i] = graph_.add_value(std::move(copy));
    }
  }

  std::span<float> weights(NodeId id) {
    return graph_.value(graph_.node(id).inputs[1]).constant.as<float>();
  }
  Channels channels(NodeId id) const {
    Node const& node = graph_.node(id);
    return {node, graph_.value(node.inputs[1]).constant};
  }

  void equalize(NodeId id, NodeId next) {
    Channels first = channels(id), second = channels(next);
    std::span<float> made = weights(id), read = weights(next);
    ValueId between = graph_.node(next).inputs[0];
    auto const& ranges = samples_.at(between).largest_of_channel;
    if (ranges.size() != size_t(first.made())) return;
    double widest = ranges.empty() ? 0 : double(std::ranges::max(ranges));
    for (int64_t c = 0; c < first.made(); ++c) {
      double after = 0, before = double(ranges[size_t(c)]);
      second.each_of_read(c, read, [&](float w) { after = std::max<double>(after, std::abs(w)); });
      if (!(before > 0) || !(after > 0)) continue;
      int by = second.is_alone() ? int(std::floor(std::log2(widest / before)))
                                 : int(std::nearbyint(std::log2(after / before) / 2));
      by = std::clamp(by, -kMostFactor, kMostFactor);
      if (by == 0) continue;
      changed_ = true;
      first.each_of_made(c, made, [&](float& w) { w = std::ldexp(w, by); });
      second.each_of_read(c, read, [&](float& w) { w = std::ldexp(w, -by); });
      scale_bias(graph_.node(id), c, by);
    }
  }

  void scale_bias(Node const& conv, int64_t channel, int by) {
    if (conv.inputs.size() < 3 || !conv.inputs[2].valid()) return;
    float& bias = graph_.value(conv.inputs[2]).constant.as<float>()[size_t(channel)];
    bias = std::ldexp(bias, by);
  }

  Graph graph_;
  ValueNames names_;
  std::set<NodeId> const& products_;
  GraphSamples const& samples_;
  std::vector<std::vector<NodeId>> readers_;
  std::map<NodeId, NodeId> pairs_;  ///< by the second: the first
  bool changed_ = false;
  std::set<std::pair<NodeId, size_t>> owned_;
};

}  // namespace

Equalized equalized(Graph graph, std::set<NodeId> const& products, GraphSamples const& samples) {
  return Equalizer(std::move(graph), products, samples).run();
}

}  // namespace tw
