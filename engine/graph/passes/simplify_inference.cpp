// dropout(x), identity(x)  -->  x;  batch_norm(conv(x, W, B))  -->  conv(x, W', B');
// batch_norm(x)  -->  add(mul(x, scale), shift);  conv(pad(x))  -->  conv(x) with more padding
#include <cmath>
#include <map>

#include "engine/graph/pipeline.h"

namespace tw {
namespace {

class Simplifier {
public:
  explicit Simplifier(Graph const& graph) : graph_(graph), uses_(graph.values.size(), 0) {
    for (Node const& node : graph.nodes)
      for (ValueId id : node.inputs)
        if (id.valid()) ++uses_[size_t(id.value)];
    for (ValueId id : graph.outputs) ++uses_[size_t(id.value)];
    for (size_t i = 0; i < graph.values.size(); ++i) renamed_.push_back({int32_t(i)});
  }

  Result<Graph> run() {
    std::vector<Node> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : old) {
      for (ValueId& input : node.inputs)
        if (input.valid()) input = renamed_[size_t(input.value)];
      if (is_copy(node)) {
        remove_copy(node);
      } else if (node.op && node.op->name == "batch_norm" && scale_and_shift(node)) {
        TRY(replace_batch_norm(node));
      } else {
        take_padding(node);
        keep(std::move(node));
      }
    }
    for (ValueId& output : graph_.outputs) output = renamed_[size_t(output.value)];
    return std::move(graph_);
  }

private:
  void keep(Node node) {
    for (ValueId id : node.outputs)
      if (id.valid()) maker_[id] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  /// The node that is kept and makes the value; null: none does.
  Node* maker_of(ValueId id) {
    auto found = maker_.find(id);
    return found == maker_.end() ? nullptr : &graph_.nodes[found->second];
  }

  /// An output keeps its own name: a copy of an input into an output stays.
  bool is_copy(Node const& node) const {
    if (!node.op || (node.op->name != "dropout" && node.op->name != "identity")) return false;
    return !is_output(graph_, node.outputs[0]);
  }

  void remove_copy(Node const& node) {
    renamed_[size_t(node.outputs[0].value)] = node.inputs[0];
    uses_[size_t(node.inputs[0].value)] += uses_[size_t(node.outputs[0].value)] - 1;
  }

  /// Zeros around an image that only this convolution reads.
  bool pads_with_zeros(Node const& pad) const {
    if (!pad.op || pad.op->name != "pad" || text(pad.attributes, "mode") != "constant" ||
        uses_[size_t(pad.outputs[0].value)] != 1)
      return false;
    double fill = number(pad.attributes, "value");
    if (pad.inputs.size() > 1 && pad.inputs[1].valid()) {
      NDArray const& given = graph_.value(pad.inputs[1]).constant;
      if (given.size() != 1) return false;
      fill = given.value_at(0);
    }
    std::vector<int64_t> pads = integers(pad.attributes, "pads");
    size_t rank = pads.size() / 2;
    if (fill != 0 || rank < 3) return false;
    for (size_t i = 0; i < pads.size(); ++i)
      if (pads[i] < 0 || (i % rank < 2 && pads[i] != 0)) return false;
    return true;
  }

  /// conv(pad(x))  -->  conv(x) with that padding.
  void take_padding(Node& conv) {
    std::string automatic = text(conv.attributes, "auto_pad");
    if (!conv.op || conv.op->name != "conv" || (!automatic.empty() && automatic != "valid")) return;
    Node const* pad = maker_of(conv.inputs[0]);
    if (!pad || pad->outputs[0] != conv.inputs[0] || !pads_with_zeros(*pad)) return;
    std::vector<int64_t> around = integers(pad->attributes, "pads");
    size_t rank = around.size() / 2, spatial = rank - 2;
    std::vector<int64_t> pads(2 * spatial, 0);
    if (automatic.empty()) pads = integers(conv.attributes, "pads", pads);
    if (pads.size() != 2 * spatial) return;
    for (size_t i = 0; i < spatial; ++i) {
      pads[i] += around[i + 2];
      pads[i + spatial] += around[i + 2 + rank];
    }
    conv.attributes["pads"] = pads;
    conv.attributes.erase("auto_pad");
    conv.inputs[0] = pad->inputs[0];  // the padding, which nobody reads now, is dropped later
    conv.origins.insert(conv.origins.begin(), pad->origins.begin(), pad->origins.end());
  }

  /// y = x * scale + shift per channel; false when a parameter is not constant.
  bool scale_and_shift(Node const& node) {
    if (node.inputs.size() != 5) return false;
    for (size_t i = 1; i < 5; ++i) {
      if (!node.inputs[i].valid() || !graph_.value(node.inputs[i]).is_constant()) return false;
      NDArray const &own = graph_.value(node.inputs[i]).constant,
                    &first = graph_.value(node.inputs[1]).constant;
      if (own.type() != DType::kF32 || own.shape().size() != 1 || own.shape() != first.shape())
        return false;
    }
    auto parameter = [&](size_t i) -> NDArray const& {
      return graph_.value(node.inputs[i]).constant;
    };
    int64_t channels = parameter(1).size();
    scale_ = NDArray::create(DType::kF32, {channels}).value();
    shift_ = scale_.clone();
    double epsilon = number(node.attributes, "epsilon", 1e-5);
    for (int64_t c = 0; c < channels; ++c) {
      double scale = parameter(1).value_at(c) / std::sqrt(parameter(4).value_at(c) + epsilon);
      scale_.set_value(c, scale);
      shift_.set_value(c, parameter(2).value_at(c) - parameter(3).value_at(c) * scale);
    }
    return true;
  }

  Status replace_batch_norm(Node const& node) {
    Node* conv = maker_of(node.inputs[0]);
    if (conv && conv->outputs[0] == node.inputs[0] && can_absorb(*conv))
      return fold_into(*conv, node);
    return make_scale_and_shift(node);
  }

  bool can_absorb(Node const& conv) const {
    if (!conv.op || conv.op->name != "conv" || uses_[size_t(conv.outputs[0].value)] != 1)
      return false;
    if (conv.inputs.size() < 2) return false;
    for (size_t i = 1; i < conv.inputs.size(); ++i) {
      if (!conv.inputs[i].valid()) continue;
      NDArray const& parameter = graph_.value(conv.inputs[i]).constant;
      if (parameter.empty() || parameter.type() != DType::kF32) return false;
      if (parameter.shape().empty() || parameter.shape()[0] != scale_.size()) return false;
    }
    return true;
  }

  /// W'[o] = W[o] * scale[o], B'[o] = B[o] * scale[o] + shift[o].
  Status fold_into(Node& conv, Node const& norm) {
    Value const& weights = graph_.value(conv.inputs[1]);
    NDArray scaled = weights.constant.clone();
    int64_t inner = scaled.size() / std::max<int64_t>(1, scale_.size());
    std::span<float> w = scaled.as<float>(), scale = scale_.as<float>();
    for (int64_t i = 0; i < scaled.size(); ++i) w[size_t(i)] *= scale[size_t(i / inner)];
    if (conv.inputs.size() > 2 && conv.inputs[2].valid()) {
      NDArray const& bias = graph_.value(conv.inputs[2]).constant;
      for (int64_t c = 0; c < shift_.size(); ++c)
        shift_.set_value(c, bias.value_at(c) * double(scale[size_t(c)]) + shift_.value_at(c));
    }
    conv.inputs.resize(3);
    conv.inputs[1] = add_constant(weights.name + " scaled by " + norm.name, scaled);
    conv.inputs[2] = add_constant("shift of " + norm.name, shift_);
    maker_[norm.outputs[0]] = maker_.at(conv.outputs[0]);
    maker_.erase(conv.outputs[0]);
    conv.outputs[0] = norm.outputs[0];
    conv.origins.insert(conv.origins.end(), norm.origins.begin(), norm.origins.end());
    return {};
  }

  Status make_scale_and_shift(Node const& norm) {
    ValueType const type = graph_.value(norm.outputs[0]).type;  // a copy: values are added below
    if (!type.dims || type.dims->size() < 2) {
      keep(norm);
      return {};
    }
    Shape per_channel(type.dims->size() - 1, 1);
    per_channel[0] = scale_.size();
    ValueId scale = add_constant("scale of " + norm.name, scale_.reshaped(per_channel));
    ValueId shift = add_constant("shift of " + norm.name, shift_.reshaped(per_channel));
    ValueId product = graph_.add_value({norm.name + " scaled", type, {}});
    keep({norm.name + " scale",
          find_operator("mul"),
          "mul",
          {},
          {norm.inputs[0], scale},
          {product},
          norm.origins,
          {},
          {}});
    keep({norm.name,
          find_operator("add"),
          "add",
          {},
          {product, shift},
          norm.outputs,
          norm.origins,
          {},
          {}});
    return {};
  }

  ValueId add_constant(std::string name, NDArray const& array) {
    return graph_.add_value({std::move(name), tensor_type(array.type(), array.shape()), array});
  }

  Graph graph_;
  std::map<ValueId, size_t> maker_;  ///< which node that is kept makes each value
  std::vector<int> uses_;            ///< of the values of the graph before the pass
  std::vector<ValueId> renamed_;     ///< what stands for each of them now
  NDArray scale_, shift_;
};

}  // namespace

GraphPass simplify_inference() {
  return {"simplify_inference",
          "removes operators without effect in inference, and folds normalizations and padding "
          "into convolutions",
          "before fusion: a normalization that is folded into a convolution's weights needs no "
          "kernel",
          [](Graph const& graph, PassChoices const&) -> Result<Graph> {
            return Simplifier(graph).run();
          }};
}

}  // namespace tw
