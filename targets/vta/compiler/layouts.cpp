#include "targets/vta/compiler/layouts.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::vta {
namespace {

class Chooser {
public:
  Chooser(Graph const& graph, Configuration const& configuration)
      : graph_(graph), configuration_(configuration) {}

  Result<GraphChoices> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) wish({int32_t(i)});
    if (convolutions_ == 0) return GraphChoices();
    take_back_refused(graph_, choices_);
    if (choices_.values.empty()) return GraphChoices();
    choices_.reasons.push_back(fmt::format(
        "{} convolutions of bytes have data in blocks of {} x {} and weights in blocks of {} x {}: "
        "the elements of the accelerator's memories",
        convolutions_, configuration_.batch(), configuration_.block(), configuration_.block(),
        configuration_.block()));
    return std::move(choices_);
  }

private:
  /// Images and channels in blocks, behind the rest; without a block where it is 1.
  Layout in_elements(size_t rank) const {
    std::vector<Layout::Block> blocks;
    if (configuration_.batch() > 1) blocks.push_back({0, configuration_.batch()});
    blocks.push_back({1, configuration_.block()});
    std::vector<size_t> order;
    for (size_t d = 0; d < rank; ++d) order.push_back(d);
    return Layout::create(order, blocks).value();
  }
  Layout weights_in_elements(size_t rank) const {
    std::vector<size_t> order;
    for (size_t d = 0; d < rank; ++d) order.push_back(d);
    return Layout::create(order, {{0, configuration_.block()}, {1, configuration_.block()}})
        .value();
  }

  /// An image of whole elements.
  std::optional<TensorInfo> image(ValueId id) const {
    auto info = id.valid() ? tensor_info(graph_.value(id)) : std::nullopt;
    bool whole = info && info->shape.size() == 4 && info->shape[0] % configuration_.batch() == 0 &&
                 info->shape[1] % configuration_.block() == 0;
    return whole ? info : std::nullopt;
  }

  void wish(NodeId id) {
    Node const& node = graph_.node(id);
    if (!node.op || node.outputs.empty()) return;
    if (node.op->name == "conv_integer") return wish_for_convolution(id, node);
    auto made = image(node.outputs[0]);
    bool integers = made && (made->type == DType::kI32 || made->type == DType::kI8);
    bool follows =
        integers && reads_integers(node) &&
        (node.op->elementwise || (node.op->name == "max_pool" && lies_in_elements(node)));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      // Who does not go on in elements reads them plain; who does, has the rest brought into them.
      bool lies = choices_.values.contains(node.inputs[i]);
      if (follows && !lies && image(node.inputs[i])) choices_.operands[{id, i}] = in_elements(4);
      if (!follows && lies) choices_.operands[{id, i}] = Layout();
    }
    if (follows) choices_.values[node.outputs[0]] = in_elements(4);
  }

  bool lies_in_elements(Node const& node) const { return choices_.values.contains(node.inputs[0]); }

  bool reads_integers(Node const& node) const {
    return std::ranges::all_of(node.inputs, [&](ValueId id) {
      auto info = id.valid() ? tensor_info(graph_.value(id)) : std::nullopt;
      return info && (info->type == DType::kI32 || info->type == DType::kI8);
    });
  }

  void wish_for_convolution(NodeId id, Node const& node) {
    auto data = image(node.inputs[0]), sums = image(node.outputs[0]);
    auto weights = tensor_info(graph_.value(node.inputs[1]));
    bool bytes = data && data->type == DType::kI8 && weights && weights->type == DType::kI8;
    bool whole = weights && weights->shape.size() == 4 &&
                 weights->shape[0] % configuration_.block() == 0 &&
                 weights->shape[1] % configuration_.block() == 0;
    if (!bytes || !whole || !sums) return;
    ++convolutions_;
    choices_.operands[{id, 0}] = in_elements(4);
    choices_.operands[{id, 1}] = weights_in_elements(4);
    choices_.values[node.outputs[0]] = in_elements(4);
  }

  Graph const& graph_;
  Configuration const& configuration_;
  GraphChoices choices_;
  int convolutions_ = 0;
};

}  // namespace

Result<GraphChoices> choose_vta_layouts(Graph const& graph, Configuration const& configuration) {
  return Chooser(graph, configuration).run();
}

}  // namespace tw::vta
