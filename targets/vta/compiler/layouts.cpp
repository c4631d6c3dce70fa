#include "targets/vta/compiler/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/graph/kernel_apart.h"

namespace tw::vta {
namespace {

constexpr double kLeastFilled = 0.5;  ///< of blocks, by what is no padding

class Chooser {
public:
  Chooser(Graph const& graph, Configuration const& configuration)
      : graph_(graph), configuration_(configuration) {}

  Result<GraphChoices> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) wish({int32_t(i)});
    if (products_ == 0) return GraphChoices();
    if (!choices_.algorithms.empty())
      choices_.reasons.push_back(fmt::format(
          "bytes that are added to sums are made i32 in kernels of their own ({}): this "
          "design cannot load bytes into its accumulators (acc8 = no)",
          choices_.algorithms.size()));
    take_back_refused(graph_, choices_);
    if (choices_.values.empty()) return GraphChoices();
    choices_.reasons.push_back(fmt::format(
        "{} convolutions and matrix products of bytes have data in blocks of {} x {} and weights "
        "in blocks of {} x {}: the elements of the accelerator's memories",
        products_, configuration_.batch(), configuration_.block(), configuration_.block(),
        configuration_.block()));
    return std::move(choices_);
  }

private:
  /// Images and channels, or rows and columns, in blocks, behind the rest; without a block where it
  /// is 1.
  Layout in_elements(size_t rank) const {
    std::vector<Layout::Block> blocks;
    if (configuration_.batch() > 1) blocks.push_back({0, configuration_.batch()});
    blocks.push_back({1, configuration_.block()});
    return Layout::create(in_order(rank), blocks).value();
  }
  /// Outputs x inputs x taps of a convolution.
  Layout weights_in_elements(size_t rank) const {
    return Layout::create(in_order(rank),
                          {{0, configuration_.block()}, {1, configuration_.block()}})
        .value();
  }
  /// Inputs x outputs of a matrix product, outputs outside.
  Layout matrix_in_elements() const {
    return Layout::create({1, 0}, {{1, configuration_.block()}, {0, configuration_.block()}})
        .value();
  }
  static std::vector<size_t> in_order(size_t rank) {
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t(0));
    return order;
  }

  /// Whether blocks of `extent` are worth it: the last one is padded with zeros, which are moved
  /// and multiplied, too.
  bool fills_blocks(int64_t extent) const {
    int64_t blocks = (extent + configuration_.block() - 1) / configuration_.block();
    return kLeastFilled * double(blocks * configuration_.block()) <= double(extent);
  }

  /// Images or a matrix that can lie in elements.
  std::optional<TensorInfo> blockable(ValueId id) const {
    auto info = id.valid() ? tensor_info(graph_.value(id)) : std::nullopt;
    bool may = info && (info->shape.size() == 4 || info->shape.size() == 2) &&
               info->shape[0] % configuration_.batch() == 0 && fills_blocks(info->shape[1]);
    return may ? info : std::nullopt;
  }

  void wish(NodeId id) {
    Node const& node = graph_.node(id);
    if (!node.op || node.outputs.empty()) return;
    if (node.op->name == "conv_integer" && is_product(node, 4))
      return wish_for_product(id, node, 4);
    if (node.op->name == "matmul_integer" && is_product(node, 2))
      return wish_for_product(id, node, 2);
    auto made = blockable(node.outputs[0]);
    if (is_byte_widening(node) && !configuration_.acc8) choices_.algorithms[id] = kAlone;
    bool integers = made && (made->type == DType::kI32 || made->type == DType::kI8);
    bool follows = integers && reads_integers(node) && goes_on_in_elements(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      // Who does not go on in elements reads them plain; who does, has the rest brought into them.
      bool lies = choices_.values.contains(node.inputs[i]);
      auto read = blockable(node.inputs[i]);
      if (follows && !lies && read) choices_.operands[{id, i}] = in_elements(read->shape.size());
      if (!follows && lies) choices_.operands[{id, i}] = Layout();
    }
    if (follows) choices_.values[node.outputs[0]] = in_elements(made->shape.size());
  }

  /// Bytes that a design brings into its accumulators by a load, or another processor makes sums
  /// of.
  bool is_byte_widening(Node const& node) const {
    auto from = node.op->name == "widen" ? tensor_info(graph_.value(node.inputs[0])) : std::nullopt;
    return from && from->type == DType::kI8;
  }

  static bool is_pool(Node const& node) {
    return node.op->name == "max_pool" || node.op->name == "sum_pool";
  }
  /// Whether something is done to elements, or to bytes that are added to sums in elements.
  bool goes_on_in_elements(Node const& node) const {
    if (is_pool(node)) return choices_.values.contains(node.inputs[0]);
    bool reads =
        std::ranges::any_of(node.inputs, [&](ValueId id) { return choices_.values.contains(id); });
    return node.op->elementwise && (reads || node.op->name == "widen");
  }

  bool reads_integers(Node const& node) const {
    return std::ranges::all_of(node.inputs, [&](ValueId id) {
      auto info = id.valid() ? tensor_info(graph_.value(id)) : std::nullopt;
      return info && (info->type == DType::kI32 || info->type == DType::kI8);
    });
  }

  /// Whether the products are those of the accelerator's memories.
  bool is_product(Node const& node, size_t rank) const {
    auto data = blockable(node.inputs[0]), sums = blockable(node.outputs[0]);
    auto weights = tensor_info(graph_.value(node.inputs[1]));
    bool bytes = data && data->type == DType::kI8 && weights && weights->type == DType::kI8;
    return bytes && sums && data->shape.size() == rank && weights->shape.size() == rank &&
           fills_blocks(weights->shape[0]) && fills_blocks(weights->shape[1]);
  }

  void wish_for_product(NodeId id, Node const& node, size_t rank) {
    ++products_;
    choices_.operands[{id, 0}] = in_elements(rank);
    choices_.operands[{id, 1}] = rank == 2 ? matrix_in_elements() : weights_in_elements(rank);
    choices_.values[node.outputs[0]] = in_elements(rank);
  }

  Graph const& graph_;
  Configuration const& configuration_;
  GraphChoices choices_;
  int products_ = 0;
};

}  // namespace

Result<GraphChoices> choose_vta_layouts(Graph const& graph, Configuration const& configuration) {
  return Chooser(graph, configuration).run();
}

}  // namespace tw::vta
