// dropout(x), identity(x)  -->  x;  batch_norm(conv(x, W, B))  -->  conv(x, W', B');
// batch_norm(x)  -->  add(mul(x, scale), shift);  conv(pad(x))  -->  conv(x) with more padding
#include <cmath>

#include "engine/graph/pipeline.h"
#include "engine/graph/rewriter.h"

namespace tw {
namespace {

class Simplifier {
public:
  Simplifier(Graph const& graph, PassCounts& counts) : rewriter_(graph), counts_(counts) {}

  Graph run() {
    while (std::optional<Node> node = rewriter_.take()) {
      if (is_copy(*node)) {
        rewriter_.replace(node->outputs[0], node->inputs[0]);
        ++counts_["copies removed"];
      } else if (node->op && node->op->name == "batch_norm" && scale_and_shift(*node)) {
        replace_batch_norm(*node);
      } else {
        take_padding(*node);
        rewriter_.keep(std::move(*node));
      }
    }
    return rewriter_.finish();
  }

private:
  /// An output keeps its own name: a copy of an input into an output stays.
  bool is_copy(Node const& node) const {
    if (!node.op || (node.op->name != "dropout" && node.op->name != "identity")) return false;
    return !is_output(rewriter_.graph(), node.outputs[0]);
  }

  /// Zeros around an image.
  bool pads_with_zeros(Node const& pad) const {
    if (text(pad.attributes, "mode") != "constant") return false;
    double fill = number(pad.attributes, "value");
    if (pad.inputs.size() > 1 && pad.inputs[1].valid()) {
      NDArray const& given = rewriter_.constant(pad.inputs[1]);
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
    auto found = match(padded_, rewriter_.kept(), conv);
    std::string automatic = text(conv.attributes, "auto_pad");
    if (!found || (!automatic.empty() && automatic != "valid")) return;
    Node const& pad = *found->nodes.at("pad");
    std::vector<int64_t> around = integers(pad.attributes, "pads");
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
    conv.inputs[0] = pad.inputs[0];  // the padding, which nobody reads now, is dropped later
    conv.origins.insert(conv.origins.begin(), pad.origins.begin(), pad.origins.end());
    ++counts_["paddings folded into convolutions"];
  }

  /// y = x * scale + shift per channel; false when a parameter is not constant.
  bool scale_and_shift(Node const& node) {
    if (node.inputs.size() != 5) return false;
    for (size_t i = 1; i < 5; ++i) {
      if (!node.inputs[i].valid() || !rewriter_.value(node.inputs[i]).is_constant()) return false;
      NDArray const &own = rewriter_.value(node.inputs[i]).constant,
                    &first = rewriter_.value(node.inputs[1]).constant;
      if (own.type() != DType::kF32 || own.shape().size() != 1 || own.shape() != first.shape())
        return false;
    }
    auto parameter = [&](size_t i) -> NDArray const& {
      return rewriter_.value(node.inputs[i]).constant;
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

  void replace_batch_norm(Node const& node) {
    ++counts_["normalizations folded"];
    if (match(normalized_, rewriter_.kept(), node))
      fold_into(*rewriter_.maker(node.inputs[0]), node);
    else
      make_scale_and_shift(node);
  }

  /// The channels of all its parameters can be scaled.
  bool can_absorb(Node const& conv) const {
    if (conv.inputs.size() < 2) return false;
    for (size_t i = 1; i < conv.inputs.size(); ++i) {
      if (!conv.inputs[i].valid()) continue;
      NDArray const& parameter = rewriter_.value(conv.inputs[i]).constant;
      if (parameter.empty() || parameter.type() != DType::kF32) return false;
      if (parameter.shape().empty() || parameter.shape()[0] != scale_.size()) return false;
    }
    return true;
  }

  /// W'[o] = W[o] * scale[o], B'[o] = B[o] * scale[o] + shift[o].
  void fold_into(Node& conv, Node const& norm) {
    Value const weights = rewriter_.value(conv.inputs[1]);
    NDArray scaled = weights.constant.clone();
    int64_t inner = scaled.size() / std::max<int64_t>(1, scale_.size());
    std::span<float> w = scaled.as<float>(), scale = scale_.as<float>();
    for (int64_t i = 0; i < scaled.size(); ++i) w[size_t(i)] *= scale[size_t(i / inner)];
    if (conv.inputs.size() > 2 && conv.inputs[2].valid()) {
      NDArray const& bias = rewriter_.value(conv.inputs[2]).constant;
      for (int64_t c = 0; c < shift_.size(); ++c)
        shift_.set_value(c, bias.value_at(c) * double(scale[size_t(c)]) + shift_.value_at(c));
    }
    conv.inputs.resize(3);
    conv.inputs[1] = rewriter_.add_constant(weights.name + " scaled by " + norm.name, scaled);
    conv.inputs[2] = rewriter_.add_constant("shift of " + norm.name, shift_);
    rewriter_.make_instead(conv.outputs[0], norm.outputs[0]);
    conv.origins.insert(conv.origins.end(), norm.origins.begin(), norm.origins.end());
  }

  void make_scale_and_shift(Node const& norm) {
    ValueType const type = rewriter_.value(norm.outputs[0]).type;  // a copy: values are added
    if (!type.dims || type.dims->size() < 2) return rewriter_.keep(norm);
    Shape per_channel(type.dims->size() - 1, 1);
    per_channel[0] = scale_.size();
    ValueId scale = rewriter_.add_constant("scale of " + norm.name, scale_.reshaped(per_channel));
    ValueId shift = rewriter_.add_constant("shift of " + norm.name, shift_.reshaped(per_channel));
    ValueId product = rewriter_.add_value({norm.name + " scaled", type, {}});
    Node mul = rewriter_.node("mul", {}, {norm.inputs[0], scale}, product);
    mul.name = norm.name + " scale";
    Node add = rewriter_.node("add", {}, {product, shift}, norm.outputs[0]);
    add.name = norm.name;
    add.outputs = norm.outputs;
    for (Node* made : {&mul, &add}) {
      made->origins = norm.origins;
      rewriter_.keep(std::move(*made));
    }
  }

  GraphRewriter rewriter_;
  PassCounts& counts_;
  NDArray scale_, shift_;  ///< of the normalization at hand
  Pattern const padded_ =
      made_by("conv", {made_by("pad").as("pad").only_read_there().where(
                          [this](Node const& pad) { return pads_with_zeros(pad); })});
  Pattern const normalized_ =
      made_by("batch_norm", {made_by("conv").only_read_there().where(
                                [this](Node const& conv) { return can_absorb(conv); })});
};

}  // namespace

GraphPass simplify_inference() {
  return {"simplify_inference",
          "removes operators without effect in inference, and folds normalizations and padding "
          "into convolutions",
          "before fusion: a normalization that is folded into a convolution's weights needs no "
          "kernel",
          [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
            return Simplifier(graph, counts).run();
          }};
}

}  // namespace tw
