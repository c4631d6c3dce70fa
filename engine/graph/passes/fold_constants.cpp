// f(constants)  -->  a constant, until the graph has grown by 1 GiB; nodes whose results nobody
// reads are dropped. if(constant, then, else)  -->  the nodes of then or of else.
#include <algorithm>

#include "engine/graph/control.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/reference.h"
#include "engine/graph/rewriter.h"

namespace tw {
namespace {

constexpr int64_t kMostGrowth = int64_t(1) << 30;  // bytes that folding may add to a whole graph

/// Bytes that folding would add, or -1 when the shape is not known.
int64_t result_bytes(Graph const& graph, Node const& node) {
  auto info = tensor_info(graph.value(node.outputs[0]));
  if (!info) return -1;
  auto count = element_count(info->shape);
  return count && *count < (int64_t(1) << 40) ? *count * size_of(info->type) : -1;
}

/// Bytes by which the graph grows when the node is folded; empty: it cannot be.
std::optional<int64_t> growth(Graph const& graph, Node const& node) {
  if (!node.op) return std::nullopt;
  int64_t given = 0;
  for (ValueId id : node.inputs) {
    if (!id.valid()) continue;
    if (!graph.value(id).is_constant()) return std::nullopt;
    given += graph.value(id).constant.byte_size();
  }
  int64_t bytes = result_bytes(graph, node);
  if (bytes < 0) return std::nullopt;
  return std::max<int64_t>(0, bytes - given);
}

/// Captured values that are known now become constants of the sub-graphs.
void tell_bodies(Graph const& graph, Node& node) {
  size_t own = operand_count(node);
  std::vector<ValueId> captured(node.inputs.begin() + int64_t(own), node.inputs.end());
  auto is_known = [&](ValueId id) { return graph.value(id).is_constant(); };
  if (std::ranges::none_of(captured, is_known)) return;
  for (std::shared_ptr<Graph const>& shared : node.sub_graphs) {
    Graph body = *shared;
    size_t first = body.inputs.size() - captured.size();
    std::vector<ValueId> inputs(body.inputs.begin(), body.inputs.begin() + int64_t(first));
    for (size_t i = 0; i < captured.size(); ++i) {
      ValueId inside = body.inputs[first + i];
      if (!is_known(captured[i])) {
        inputs.push_back(inside);
        continue;
      }
      body.value(inside).constant = graph.value(captured[i]).constant;
      body.value(inside).type = graph.value(captured[i]).type;
    }
    body.inputs = std::move(inputs);
    shared = std::make_shared<Graph const>(std::move(body));
  }
  std::erase_if(captured, is_known);
  node.inputs.resize(own);
  node.inputs.insert(node.inputs.end(), captured.begin(), captured.end());
  node.captured = int(captured.size());
}

/// The sub-graph that runs, whatever the inputs of the model are.
std::optional<size_t> decided(Graph const& graph, Node const& node) {
  if (!node.control || !node.control->decide) return std::nullopt;
  return node.control->decide(operands_of(graph, node));
}

/// The type of a value that nothing was known of while the model was read.
void settle_type(GraphRewriter& graph, Node const& node) {
  if (!node.op || tensor_info(graph.value(node.outputs[0]))) return;
  std::vector<std::optional<TensorInfo>> infos;
  for (ValueId id : node.inputs) {
    infos.push_back(id.valid() ? tensor_info(graph.value(id)) : std::nullopt);
    if (id.valid() && !infos.back()) return;
  }
  std::vector<TensorInfo const*> operands;
  for (auto const& info : infos) operands.push_back(info ? &*info : nullptr);
  auto made = node.op->infer(node.attributes, operands);
  for (size_t i = 0; made && i < made->size() && i < node.outputs.size(); ++i)
    if (node.outputs[i].valid())
      graph.value(node.outputs[i]).type = tensor_type((*made)[i].type, (*made)[i].shape);
}

class Folder {
public:
  Folder(Graph const& graph, PassCounts& counts) : rewriter_(graph), counts_(counts) {}

  Graph run() {
    while (std::optional<Node> node = rewriter_.take()) {
      tell_bodies(rewriter_.graph(), *node);
      if (auto body = decided(rewriter_.graph(), *node)) {
        put_in_place(*node, *body);
        ++counts_["branches taken"];
      } else if (!fold(*node)) {
        rewriter_.keep(std::move(*node));
      }
    }
    if (int64_t dropped = rewriter_.drop_unread()) counts_["unread nodes dropped"] += dropped;
    return rewriter_.finish();
  }

private:
  void put_in_place(Node const& node, size_t body) {
    std::vector<ValueId> inputs(node.inputs.begin() + int64_t(operand_count(node)),
                                node.inputs.end());
    rewriter_.splice_next({*node.sub_graphs[body], inputs, node.outputs, node.origins});
  }

  bool fold(Node const& node) {
    bool is_known = !node.outputs.empty() && node.outputs[0].valid() &&
                    rewriter_.value(node.outputs[0]).is_constant();
    if (is_known) return true;  // made while the model was read
    settle_type(rewriter_, node);
    std::optional<int64_t> more = growth(rewriter_.graph(), node);
    if (!more || *more > room_) return false;
    room_ -= *more;
    auto folded = run_node(rewriter_.graph(), node, {});
    if (!folded || folded->size() < node.outputs.size()) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      Value& value = rewriter_.value(node.outputs[i]);
      value.constant = (*folded)[i];
      if (value.layout.is_plain())
        value.type = tensor_type(value.constant.type(), value.constant.shape());
    }
    ++counts_["nodes computed"];
    return true;
  }

  GraphRewriter rewriter_;
  PassCounts& counts_;
  int64_t room_ = kMostGrowth;
};

}  // namespace

GraphPass fold_constants() {
  return {
      "fold_constants",
      "folds nodes whose inputs are all constants, takes the branch of an if whose condition is "
      "known, and removes dead nodes",
      "before the passes after it: parameters from Constant nodes become known to them",
      [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
        return Folder(graph, counts).run();
      }};
}

}  // namespace tw
