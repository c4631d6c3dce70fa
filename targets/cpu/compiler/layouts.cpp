#include "targets/cpu/compiler/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tw {
namespace {

/// Channels that lie side by side: the lanes of the widest f32 vectors, whatever this processor
/// has. Narrower vectors divide it, and more than one of them in a block is what their rules want
/// anyway.
constexpr int64_t kBlock = 16;

bool is_conv(Node const& node) {
  return node.op && node.op->name == "conv" && node.inputs.size() > 1;
}

/// Constant weights of f32; null: it has none.
NDArray const* known_weights(Graph const& graph, Node const& node) {
  if (node.inputs.size() < 2 || !node.inputs[1].valid()) return nullptr;
  Value const& weights = graph.value(node.inputs[1]);
  bool known = weights.is_constant() && weights.constant.type() == DType::kF32;
  return known && weights.layout.is_plain() ? &weights.constant : nullptr;
}

/// In one group, with channels enough for a block: a vector holds neighbouring outputs then, for
/// every stride and every width of the plane.
bool is_dense(Graph const& graph, Node const& node) {
  if (!is_conv(node) || integer(node.attributes, "group", 1) != 1) return false;
  NDArray const* weights = known_weights(graph, node);
  return weights && weights->shape().size() >= 3 && weights->shape()[0] >= kBlock;
}

/// A group per channel, in whole blocks: a window that stays in its channel reads whole, aligned
/// vectors where the channels lie side by side.
bool is_depthwise(Graph const& graph, Node const& node) {
  NDArray const* weights = is_conv(node) ? known_weights(graph, node) : nullptr;
  auto data = weights ? graph.value(node.inputs[0]).shape() : std::nullopt;
  int64_t groups = integer(node.attributes, "group", 1);
  return data && data->size() >= 2 && groups % kBlock == 0 && weights->shape()[0] == groups &&
         (*data)[1] == groups;
}

bool is_turned_product(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "gemm" || integer(node.attributes, "transpose_b") == 0)
    return false;
  NDArray const* weights = known_weights(graph, node);
  return weights && weights->shape().size() == 2;
}

Layout blocks_of(NDArray const& weights) {
  return Layout::in_blocks(weights.shape().size(), 0, kBlock);
}

class Chooser {
public:
  explicit Chooser(Graph const& graph) : graph_(graph), makers_(producers(graph)) {}

  GraphChoices run() {
    choose_weights();
    wish_for_blocks();
    take_back_refused(graph_, choices_);
    keep_what_gains();
    drop_needless_weights();
    return std::move(choices_);
  }

private:
  std::string name(ValueId id) const { return "'" + graph_.value(id).name + "'"; }

  void choose_weights() {
    int64_t convolutions = 0, products = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      NodeId id{int32_t(i)};
      if (is_dense(graph_, node) || is_depthwise(graph_, node)) {
        choices_.operands[{id, 1}] = blocks_of(graph_.value(node.inputs[1]).constant);
        convolutions += is_dense(graph_, node);
      } else if (is_turned_product(graph_, node)) {
        choices_.operands[{id, 1}] = *Layout::parse("BA");
        ++products;
      }
    }
    if (convolutions > 0)
      say(
          fmt::format("the weights of {} convolutions are stored in blocks of {} output channels: "
                      "a vector of outputs reads them contiguously",
                      convolutions, kBlock));
    if (products > 0)
      say(
          fmt::format("the weights of {} matrix products are stored transposed: a vector of "
                      "outputs reads them contiguously",
                      products));
  }

  /// An image between two nodes, with whole blocks of channels.
  bool could_be(ValueId id) const {
    auto info = tensor_info(graph_.value(id));
    return info && info->type == DType::kF32 && info->shape.size() == 4 &&
           info->shape[1] % kBlock == 0 && makers_[size_t(id.value)].valid() &&
           !is_output(graph_, id);
  }

  void wish_for_blocks() {
    std::vector<bool> wished(graph_.values.size());
    for (size_t i = 0; i < wished.size(); ++i) wished[i] = could_be({int32_t(i)});
    // A convolution that could be neither would read single channels out of the blocks.
    for (Node const& node : graph_.nodes) {
      if (!is_conv(node) || is_dense(graph_, node) || is_depthwise(graph_, node)) continue;
      for (auto const* list : {&node.inputs, &node.outputs})
        for (ValueId id : *list)
          if (id.valid()) wished[size_t(id.value)] = false;
    }
    for (size_t i = 0; i < wished.size(); ++i)
      if (wished[i]) choices_.values[{int32_t(i)}] = Layout::in_blocks(4, 1, kBlock);
  }

  /// The node's result could lie in another way than what it reads: no layout goes on through it.
  bool is_border(NodeId id) const {
    Node const& node = graph_.node(id);
    GraphChoices other;
    other.operands = choices_.operands;
    for (ValueId input : node.inputs)
      if (auto found = choices_.values.find(input); found != choices_.values.end())
        other.values.insert(*found);
    if (!takes(graph_, id, other)) return false;
    other.values.clear();
    for (ValueId output : node.outputs)
      if (auto found = choices_.values.find(output); found != choices_.values.end())
        other.values.insert(*found);
    return takes(graph_, id, other);
  }

  int64_t bytes_of(ValueId id) const {
    return element_count(graph_.value(id).shape().value_or(Shape{})).value_or(0) *
           size_of(DType::kF32);
  }

  /// Bytes that are read or written in whole vectors then: by the windows of pools and depthwise
  /// convolutions, and the results of dense ones, whose tiles are not turned.
  int64_t gain(Node const& node) const {
    if (is_dense(graph_, node)) return bytes_of(node.outputs[0]);
    bool pools = node.op && node.op->name.ends_with("_pool");
    if (!pools && !is_depthwise(graph_, node)) return 0;
    if (!node.attributes.contains("kernel")) return bytes_of(node.inputs[0]);  // of all at once
    return element_count(integers(node.attributes, "kernel")).value_or(0) *
           bytes_of(node.outputs[0]);
  }

  int32_t root(ValueId id) {
    int32_t at = id.value;
    while (region_[size_t(at)] != at)
      at = region_[size_t(at)] = region_[size_t(region_[size_t(at)])];
    return at;
  }

  /// Values that lie in blocks together stay so where something gains by it. The cost is nothing,
  /// since whatever would have to be changed in a run was taken back.
  void keep_what_gains() {
    region_.resize(graph_.values.size());
    std::iota(region_.begin(), region_.end(), 0);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      if (is_border({int32_t(i)})) continue;
      for (auto const* list : {&node.inputs, &node.outputs})
        for (ValueId id : *list)
          if (choices_.values.contains(id)) region_[size_t(root(id))] = root(node.outputs[0]);
    }
    std::map<int32_t, int64_t> gains;  // by region
    for (Node const& node : graph_.nodes)
      for (ValueId id : {node.outputs.front(), node.inputs.empty() ? ValueId{} : node.inputs[0]})
        if (id.valid() && choices_.values.contains(id)) {
          gains[root(id)] += gain(node);
          break;
        }
    std::erase_if(choices_.values, [&](auto const& each) { return gains[root(each.first)] == 0; });
    std::map<int32_t, std::vector<ValueId>> kept;
    for (auto const& [id, layout] : choices_.values) kept[root(id)].push_back(id);
    for (auto const& [at, ids] : kept)
      say(
          fmt::format("{} images around {} are stored in blocks of {} channels: {} KB are read "
                      "or written in whole vectors, and no layout is changed for it during a run",
                      ids.size(), name(ids.front()), kBlock, gains[at] / 1024));
  }

  /// A depthwise convolution of plain images reads plain weights.
  void drop_needless_weights() {
    std::erase_if(choices_.operands, [&](auto const& each) {
      Node const& node = graph_.node(each.first.first);
      return is_depthwise(graph_, node) && !choices_.values.contains(node.outputs[0]);
    });
  }

  void say(std::string sentence) { choices_.reasons.push_back(std::move(sentence)); }

  Graph const& graph_;
  std::vector<NodeId> makers_;
  GraphChoices choices_;
  std::vector<int32_t> region_;  ///< of each value: another one of its region, at last the root
};

}  // namespace

GraphChoices choose_cpu_layouts(Graph const& graph) { return Chooser(graph).run(); }

}  // namespace tw
