#include "targets/cpu/compiler/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/graph/algorithms.h"
#include "engine/graph/computes.h"

namespace tw {
namespace {

/// Channels that lie side by side by rule: the lanes of the widest f32 vectors, whatever this
/// processor has. Narrower vectors divide it, and more than one of them in a block is what their
/// rules want anyway.
constexpr int64_t kBlock = 16;
constexpr char kPlain[] = "plain";

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

/// In one group, with weights that are known.
bool is_ungrouped(Graph const& graph, Node const& node) {
  if (!is_conv(node) || integer(node.attributes, "group", 1) != 1) return false;
  NDArray const* weights = known_weights(graph, node);
  return weights && weights->shape().size() >= 3;
}

/// A group per channel.
bool is_by_channels(Graph const& graph, Node const& node) {
  NDArray const* weights = is_conv(node) ? known_weights(graph, node) : nullptr;
  auto data = weights ? graph.value(node.inputs[0]).shape() : std::nullopt;
  int64_t groups = integer(node.attributes, "group", 1);
  return data && data->size() >= 2 && groups > 1 && weights->shape()[0] == groups &&
         (*data)[1] == groups;
}

bool is_turned_product(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "gemm" || integer(node.attributes, "transpose_b") == 0)
    return false;
  NDArray const* weights = known_weights(graph, node);
  return weights && weights->shape().size() == 2;
}

class Chooser {
public:
  Chooser(Graph const& graph, Decisions& decisions)
      : graph_(graph), decisions_(decisions), makers_(producers(graph)) {}

  GraphChoices run() {
    ask();
    choose_weights();
    wish_for_blocks();
    take_back_refused(graph_, choices_);
    keep_what_gains();
    drop_needless_weights();
    return std::move(choices_);
  }

private:
  std::string name(ValueId id) const { return "'" + graph_.value(id).name + "'"; }

  /// With channels enough for a block: a vector holds neighbouring outputs then, for every stride
  /// and every width of the plane.
  bool is_dense(Node const& node, NodeId id) const {
    return !choices_.algorithms.contains(id) && is_ungrouped(graph_, node) &&
           known_weights(graph_, node)->shape()[0] >= block_;
  }

  /// In whole blocks: a window that stays in its channel reads whole, aligned vectors where the
  /// channels lie side by side.
  bool is_depthwise(Node const& node) const {
    return is_by_channels(graph_, node) && integer(node.attributes, "group", 1) % block_ == 0;
  }

  /// Blocks of another size, or none for images; another algorithm for convolutions of one kind.
  void ask() {
    bool any = std::ranges::any_of(graph_.nodes, [&](Node const& node) {
      return is_ungrouped(graph_, node) || is_by_channels(graph_, node);
    });
    if (!any) return;
    std::string blocks =
        decisions_.choose("channel_block", {"8", "16", "32", kPlain}, std::to_string(kBlock));
    images_ = blocks != kPlain;
    if (images_) block_ = std::stoll(blocks);
    std::map<std::string, std::string> kinds;  // the knob of each
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      if (!is_ungrouped(graph_, node) || !has_algorithms(graph_, node)) continue;
      auto knob =
          kinds.emplace(algorithm_kind(graph_, node), node.name + ".algorithm").first->second;
      std::vector<std::string> names = algorithms_of(graph_, node);
      std::string algorithm = decisions_.choose(knob, names, names.front());
      if (algorithm != names.front()) choices_.algorithms[{int32_t(i)}] = algorithm;
    }
    if (!choices_.algorithms.empty())
      say(fmt::format("{} convolutions run by another algorithm than the first, by choice",
                      choices_.algorithms.size()));
  }

  void choose_weights() {
    int64_t convolutions = 0, products = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      NodeId id{int32_t(i)};
      if (is_dense(node, id) || is_depthwise(node)) {
        size_t rank = graph_.value(node.inputs[1]).constant.shape().size();
        choices_.operands[{id, 1}] = Layout::in_blocks(rank, 0, block_);
        convolutions += is_dense(node, id);
      } else if (is_turned_product(graph_, node)) {
        choices_.operands[{id, 1}] = *Layout::parse("BA");
        ++products;
      }
    }
    if (convolutions > 0)
      say(
          fmt::format("the weights of {} convolutions are stored in blocks of {} output channels: "
                      "a vector of outputs reads them contiguously",
                      convolutions, block_));
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
           info->shape[1] % block_ == 0 && makers_[size_t(id.value)].valid() &&
           !is_output(graph_, id);
  }

  void wish_for_blocks() {
    if (!images_) return;
    std::vector<bool> wished(graph_.values.size());
    for (size_t i = 0; i < wished.size(); ++i) wished[i] = could_be({int32_t(i)});
    // A convolution that could be neither would read single channels out of the blocks.
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      if (!is_conv(node) || is_dense(node, {int32_t(i)}) || is_depthwise(node)) continue;
      for (auto const* list : {&node.inputs, &node.outputs})
        for (ValueId id : *list)
          if (id.valid()) wished[size_t(id.value)] = false;
    }
    for (size_t i = 0; i < wished.size(); ++i)
      if (wished[i]) choices_.values[{int32_t(i)}] = Layout::in_blocks(4, 1, block_);
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
  int64_t gain(Node const& node, NodeId id) const {
    if (is_dense(node, id)) return bytes_of(node.outputs[0]);
    bool pools = node.op && node.op->name.ends_with("_pool");
    if (!pools && !is_depthwise(node)) return 0;
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
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node const& node = graph_.nodes[i];
      for (ValueId id : {node.outputs.front(), node.inputs.empty() ? ValueId{} : node.inputs[0]})
        if (id.valid() && choices_.values.contains(id)) {
          gains[root(id)] += gain(node, {int32_t(i)});
          break;
        }
    }
    std::erase_if(choices_.values, [&](auto const& each) { return gains[root(each.first)] == 0; });
    std::map<int32_t, std::vector<ValueId>> kept;
    for (auto const& [id, layout] : choices_.values) kept[root(id)].push_back(id);
    for (auto const& [at, ids] : kept)
      say(
          fmt::format("{} images around {} are stored in blocks of {} channels: {} KB are read "
                      "or written in whole vectors, and no layout is changed for it during a run",
                      ids.size(), name(ids.front()), block_, gains[at] / 1024));
  }

  /// A depthwise convolution of plain images reads plain weights.
  void drop_needless_weights() {
    std::erase_if(choices_.operands, [&](auto const& each) {
      Node const& node = graph_.node(each.first.first);
      return is_depthwise(node) && !choices_.values.contains(node.outputs[0]);
    });
  }

  void say(std::string sentence) { choices_.reasons.push_back(std::move(sentence)); }

  Graph const& graph_;
  Decisions& decisions_;
  std::vector<NodeId> makers_;
  GraphChoices choices_;
  int64_t block_ = kBlock;
  bool images_ = true;           ///< may lie in blocks, too
  std::vector<int32_t> region_;  ///< of each value: another one of its region, at last the root
};

}  // namespace

GraphChoices choose_cpu_layouts(Graph const& graph, Decisions& decisions) {
  return Chooser(graph, decisions).run();
}

}  // namespace tw
