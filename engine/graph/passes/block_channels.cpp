#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include "engine/graph/passes.h"
#include "engine/graph/shared/blocks.h"

namespace tw {
namespace {

/// How a node takes values whose channels are in blocks.
enum class Taking {
  kNot,
  kEach,      ///< the data or the result, each by itself: a dense convolution
  kTogether,  ///< all of its tensors or none
};

bool is_dense(Node const& node) {
  return node.op && node.op->name == "conv" && integer(node.attributes, "group", 1) == 1 &&
         integer(node.attributes, "weights_block") == kChannelBlock;
}

bool is_depthwise(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "conv" || has(node.attributes, "weights_block")) return false;
  NDArray const& weights = graph.value(node.inputs[1]).constant;
  auto data = graph.value(node.inputs[0]).shape();
  if (weights.empty() || weights.type() != DType::kF32 || !data || data->size() < 2) return false;
  int64_t groups = integer(node.attributes, "group", 1);
  return groups % kChannelBlock == 0 && weights.shape()[0] == groups && (*data)[1] == groups;
}

class Blocking {
public:
  explicit Blocking(Graph const& graph)
      : graph_(graph), producers_(producers(graph)), chosen_(graph.values.size()) {}

  Result<Graph> run() {
    for (size_t i = 0; i < chosen_.size(); ++i) chosen_[i] = could_be({int32_t(i)});
    drop_what_is_not_taken();
    keep_around_depthwise();
    for (size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i]) add_blocked({int32_t(i)});
    for (Node& node : graph_.nodes) TRY(rewrite(node));
    auto readers = consumers(graph_);
    for (auto const& [plain, blocks] : weights_)
      if (readers[size_t(plain.value)].empty() && !is_output(graph_, plain))
        graph_.value(plain).constant = {};
    return std::move(graph_);
  }

private:
  bool is_chosen(ValueId id) const {
    return id.valid() && size_t(id.value) < chosen_.size() && chosen_[size_t(id.value)];
  }

  /// An image between two nodes, with whole blocks of channels.
  bool could_be(ValueId id) const {
    auto info = tensor_info(graph_.value(id));
    return info && info->type == DType::kF32 && info->shape.size() == 4 &&
           info->shape[1] % kChannelBlock == 0 && producers_[size_t(id.value)].valid() &&
           !is_output(graph_, id);
  }

  /// The tensors of a node that are in blocks together or not; single elements stay.
  std::vector<ValueId> tensors_of(Node const& node) const {
    std::vector<ValueId> tensors{node.outputs[0]};
    bool conv = node.op->name == "conv";
    for (ValueId id : node.inputs) {
      if (!id.valid()) continue;
      auto info = tensor_info(graph_.value(id));
      if (!info || element_count(info->shape).value_or(0) != 1) tensors.push_back(id);
      if (conv) break;  // what follows are parameters
    }
    return tensors;
  }

  Taking taking(Node const& node) const {
    if (!node.op || node.outputs.size() != 1) return Taking::kNot;
    if (is_dense(node)) return Taking::kEach;
    return is_depthwise(graph_, node) || node.op->elementwise ? Taking::kTogether : Taking::kNot;
  }

  /// A node of which one tensor is not in blocks takes none in blocks; that goes on to the nodes
  /// on both sides, until nothing changes.
  void drop_what_is_not_taken() {
    std::vector<std::vector<NodeId>> readers = consumers(graph_);
    std::deque<NodeId> open;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) open.push_back({int32_t(i)});
    auto drop = [&](ValueId id) {
      if (!is_chosen(id)) return;
      chosen_[size_t(id.value)] = false;
      if (producers_[size_t(id.value)].valid()) open.push_back(producers_[size_t(id.value)]);
      open.insert(open.end(), readers[size_t(id.value)].begin(), readers[size_t(id.value)].end());
    };
    for (; !open.empty(); open.pop_front()) {
      Node const& node = graph_.node(open.front());
      Taking how = taking(node);
      if (how == Taking::kEach) continue;
      std::vector<ValueId> tensors;
      if (how == Taking::kTogether) tensors = tensors_of(node);
      if (how == Taking::kTogether &&
          std::ranges::all_of(tensors, [&](ValueId id) { return is_chosen(id); }))
        continue;
      for (ValueId id : node.inputs) drop(id);
      for (ValueId id : node.outputs) drop(id);
    }
  }

  /// Values that are in blocks together are kept where one of their nodes is depthwise: the others
  /// run as fast on plain tensors.
  void keep_around_depthwise() {
    std::vector<int32_t> region(chosen_.size());
    std::iota(region.begin(), region.end(), 0);
    auto root = [&](ValueId id) {
      int32_t at = id.value;
      while (region[size_t(at)] != at) at = region[size_t(at)] = region[size_t(region[size_t(at)])];
      return at;
    };
    std::vector<ValueId> gaining;
    for (Node const& node : graph_.nodes) {
      if (taking(node) != Taking::kTogether || !is_chosen(node.outputs[0])) continue;
      for (ValueId id : tensors_of(node)) region[size_t(root(id))] = root(node.outputs[0]);
      if (is_depthwise(graph_, node)) gaining.push_back(node.outputs[0]);
    }
    std::vector<bool> gains(chosen_.size());
    for (ValueId id : gaining) gains[size_t(root(id))] = true;
    for (size_t i = 0; i < chosen_.size(); ++i)
      chosen_[i] = chosen_[i] && gains[size_t(root({int32_t(i)}))];
  }

  void add_blocked(ValueId id) {
    Value value;
    value.name = graph_.value(id).name + "/blocks";
    value.type =
        tensor_type(DType::kF32, ops::blocked_shape(*graph_.value(id).shape(), 1, kChannelBlock));
    blocked_[id] = graph_.add_value(std::move(value));
  }

  Status rewrite(Node& node) {
    if (taking(node) == Taking::kNot) return {};
    bool depthwise = is_depthwise(graph_, node);
    bool conv = depthwise || is_dense(node);
    if (conv && is_chosen(node.inputs[0])) node.attributes["data_block"] = kChannelBlock;
    if (conv && is_chosen(node.outputs[0])) node.attributes["result_block"] = kChannelBlock;
    if (depthwise && is_chosen(node.outputs[0])) TRY(pack(node));
    for (auto* list : {&node.inputs, &node.outputs})
      for (ValueId& id : *list)
        if (is_chosen(id)) id = blocked_.at(id);
    return {};
  }

  Status pack(Node& node) {
    ValueId weights = node.inputs[1];
    if (!weights_.contains(weights)) {
      TRY_ASSIGN(NDArray blocks, ops::in_blocks(graph_.value(weights).constant, 0, kChannelBlock));
      Value value;
      value.name = graph_.value(weights).name + "/packed";
      value.type = tensor_type(blocks.type(), blocks.shape());
      value.constant = std::move(blocks);
      weights_[weights] = graph_.add_value(std::move(value));
    }
    node.inputs[1] = weights_[weights];
    node.attributes["weights_block"] = kChannelBlock;
    return {};
  }

  Graph graph_;
  std::vector<NodeId> producers_;
  std::vector<bool> chosen_;            ///< of the values that the graph came with
  std::map<ValueId, ValueId> blocked_;  ///< a chosen value in blocks
  std::map<ValueId, ValueId> weights_;  ///< weights in blocks; two nodes may share them
};

}  // namespace

Result<Graph> block_channels(Graph const& graph) { return Blocking(graph).run(); }

}  // namespace tw
