// quantize_linear(relu(conv(dequantize_linear(x), dequantize_linear(w), b)))  -->
// requantize(conv_integer(x, w) + b), and so for matrix products, sums of two tensors and pools,
// where every scale is a power of two and every zero point is 0: then nothing but integers is
// needed, and a change of scale is a shift. Weights may have a scale for each channel of the
// result: then each of its channels has a shift of its own, which a tensor holds.
//
// A bias is taken down to a whole number of the sum's steps, which changes no result but where the
// sum lies exactly between two bytes: there the integers round up, and floats to the even byte.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/graph/pipeline.h"
#include "engine/graph/quantization/averages.h"
#include "engine/graph/quantization/channel_exponents.h"
#include "engine/graph/quantization/values.h"
#include "engine/graph/quantization/weight_channels.h"

namespace tw {
namespace {

constexpr double kMostSum = double(int64_t(1) << 30);  // i32 holds it and half a step
constexpr int kMostPlaces = 15;                        // that shift_right moves

/// Integers that stand for a float tensor: its elements are theirs times 2^exponent.
struct Steps {
  ValueId value;
  bool is_bytes = false;
  ChannelExponents exponents;
  double most = 0;    ///< no element is larger, whatever the bytes are
  NDArray bias = {};  ///< in floats, one per channel: still to be added
  ValueId bias_of = {};
};

class QuantizedLowerer {
public:
  QuantizedLowerer(Graph const& graph, PassCounts& counts) : rewriter_(graph), counts_(counts) {}

  Graph run() {
    while (std::optional<Node> node = rewriter_.take()) {
      pending_.clear();
      bool lowered = node->op && node->op->name == "quantize_linear" && lower(*node);
      if (lowered)
        ++counts_["quantizations computed in integers"];
      else
        pending_ = {std::move(*node)};
      for (Node& made : pending_) rewriter_.keep(std::move(made));
    }
    return rewriter_.finish();
  }

private:
  Node const* maker(ValueId id) const { return rewriter_.first_maker(id); }
  /// The node that makes a value, if it is of this operator.
  Node const* maker(ValueId id, std::string_view op) const {
    Node const* node = maker(id);
    return node && node->op && node->op->name == op ? node : nullptr;
  }
  bool is_read_once(ValueId id) const { return rewriter_.is_read_once(id); }
  NDArray const& constant(ValueId id) const { return rewriter_.constant(id); }
  /// What a relu or a clip leaves.
  struct Bounds {
    double low = -INFINITY, high = INFINITY;
  };

  /// The exponents of a scale of powers of two, with zero points that are 0 or absent.
  std::optional<std::vector<int>> exponents_of(Node const& node) const {
    if (!node.inputs[1].valid()) return std::nullopt;
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      NDArray const& zero = constant(node.inputs[2]);
      for (int64_t i = 0; i < zero.size(); ++i)
        if (zero.value_at(i) != 0) return std::nullopt;
      if (zero.size() < 1) return std::nullopt;
    }
    return powers_of_two(constant(node.inputs[1]));
  }

  /// What makes floats of bytes; null: something else does.
  Node const* bytes_behind(ValueId id) const {
    Node const* node = maker(id, "dequantize_linear");
    auto info = node ? tensor_info(rewriter_.value(node->inputs[0])) : std::nullopt;
    if (!info || (info->type != DType::kI8 && info->type != DType::kU8)) return nullptr;
    return rewriter_.value(id).type.dtype == DType::kF32 ? node : nullptr;
  }

  /// Empty: not made of bytes with one step.
  std::optional<Steps> bytes_of(ValueId id) const {
    Node const* node = bytes_behind(id);
    auto exponents = node ? exponents_of(*node) : std::nullopt;
    if (!exponents || exponents->size() != 1) return std::nullopt;
    bool has_sign = rewriter_.value(node->inputs[0]).type.dtype == DType::kI8;
    return Steps{node->inputs[0], true, {*exponents, 0}, has_sign ? 128.0 : 255.0};
  }

  std::optional<Steps> steps_of(ValueId id) {
    if (auto bytes = bytes_of(id)) return bytes;
    if (!is_read_once(id)) return std::nullopt;
    std::optional<Steps> steps;
    Node const* node = nullptr;
    if ((node = maker(id, "conv")))
      steps = steps_of_product(*node, "conv_integer");
    else if ((node = maker(id, "gemm")))
      steps = steps_of_product(*node, "matmul_integer");
    else if ((node = maker(id, "matmul")))
      steps = steps_of_product(*node, "matmul_integer");
    else if ((node = maker(id, "max_pool")))
      steps = steps_of_moved(*node);
    else if ((node = maker(id, "add")))
      steps = steps_of_sum(*node);
    else if ((node = maker(id)) && only_reshapes(*node))
      steps = steps_of_moved(*node);
    else if (auto sum = shifted_sum(
                 rewriter_.graph(), [this](ValueId of) { return maker(of); }, id))
      steps = steps_of_average(*sum);
    if (steps && node) origins_.insert(origins_.end(), node->origins.begin(), node->origins.end());
    return steps;
  }

  /// The largest of a bias that can be added to each channel; empty: it cannot.
  std::optional<double> largest(NDArray const& bias, Shape const& result,
                                ChannelExponents const& steps) const {
    if (result.size() < 2 || bias.type() != DType::kF32 || bias.size() != result[1])
      return std::nullopt;
    double most = 0;
    for (int64_t c = 0; c < bias.size(); ++c) {
      double whole = std::abs(std::ldexp(bias.value_at(c), -steps.of(c)));
      if (!(whole < kMostSum)) return std::nullopt;
      most = std::max(most, whole + 1);
    }
    return most;
  }

  /// Constant bytes as the integer operator reads them.
  struct Weights {
    ValueId value;
    NDArray elements;
    double most;  ///< the largest sum of a channel's magnitudes
    std::vector<int> exponents;
  };
  std::optional<Weights> weights_of(Node const& node) const {
    Node const* maker = bytes_behind(node.inputs[1]);
    auto exponents = maker ? exponents_of(*maker) : std::nullopt;
    NDArray elements = maker ? constant(maker->inputs[0]) : NDArray();
    if (!exponents || elements.empty() || elements.shape().size() < 2) return std::nullopt;
    if (node.type != "conv" && elements.shape().size() != 2) return std::nullopt;
    WeightChannels channels(node, elements);
    if (exponents->size() > 1 && (integer(maker->attributes, "axis", 1) != channels.axis() ||
                                  std::ssize(*exponents) != channels.count()))
      return std::nullopt;
    double most = 0;
    for (int64_t c = 0; c < channels.count(); ++c)
      most = std::max(most, channels.sum_of_magnitudes(c));
    if (node.type == "gemm" && channels.axis() == 0) elements = transposed(elements);
    return Weights{maker->inputs[0], elements, most, *std::move(exponents)};
  }

  static bool is_plain_product(Node const& node) {
    return node.type != "gemm" ||
           (number(node.attributes, "alpha", 1) == 1 && number(node.attributes, "beta", 1) == 1 &&
            integer(node.attributes, "transpose_a") == 0);
  }

  /// conv, gemm or matmul of bytes with constant bytes, and its bias.
  std::optional<Steps> steps_of_product(Node const& node, char const* op) {
    auto x = bytes_of(node.inputs[0]);
    auto weights = weights_of(node);
    std::optional<Shape> shape = rewriter_.value(node.outputs[0]).shape();
    if (!x || !weights || !shape || shape->empty() || !is_plain_product(node)) return std::nullopt;
    size_t axis = node.type == "conv" ? 1 : shape->size() - 1;
    Steps steps{{}, false, {std::move(weights->exponents), axis}, weights->most * x->most};
    for (int& exponent : steps.exponents.all) exponent += x->exponents.all[0];
    ValueId parameter = weights->value;
    if (weights->elements.shape() != constant(parameter).shape())
      parameter = rewriter_.add_constant(rewriter_.value(parameter).name + "/transposed",
                                         weights->elements);
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      steps.bias_of = node.inputs[2];
      steps.bias = constant(steps.bias_of);
      std::optional<double> most = largest(steps.bias, *shape, steps.exponents);
      if (!most) return std::nullopt;
      steps.most += *most;
    }
    if (steps.most >= kMostSum) return std::nullopt;
    Attributes attributes = node.type == "conv" ? node.attributes : Attributes{};
    steps.value = emit(op, attributes, {x->value, parameter}, node.outputs[0], DType::kI32, "sum");
    return steps;
  }

  /// The largest of bytes, and bytes in another shape, are bytes.
  std::optional<Steps> steps_of_moved(Node const& node) {
    std::optional<Steps> steps = bytes_of(node.inputs[0]);
    if (!steps && only_reshapes(node)) steps = steps_of(node.inputs[0]);
    if (!steps || !steps->is_bytes || node.inputs.size() > 1) return std::nullopt;
    DType type = *rewriter_.value(steps->value).type.dtype;
    steps->value =
        emit(node.type.c_str(), node.attributes, {steps->value}, node.outputs[0], type, "bytes");
    return steps;
  }

  /// The windows' sums, whose steps are finer than those of the bytes.
  std::optional<Steps> steps_of_average(ShiftedSum const& sum) {
    if (sum.factor && !is_read_once(sum.pool->outputs[0])) return std::nullopt;
    std::optional<Steps> bytes = bytes_of(sum.pool->inputs[0]);
    Steps steps;
    if (bytes) steps.most = bytes->most * double(sum.count);
    if (!bytes || !(steps.most < kMostSum)) return std::nullopt;
    for (Node const* node : {sum.pool, sum.factor})
      if (node) origins_.insert(origins_.end(), node->origins.begin(), node->origins.end());
    steps.exponents.all = {bytes->exponents.all[0] - sum.shift};
    steps.value =
        emit("sum_pool", sum.window, {bytes->value}, sum.pool->outputs[0], DType::kI32, "sum");
    return steps;
  }

  /// Both in the finer steps of the two.
  std::optional<Steps> steps_of_sum(Node const& node) {
    if (constant(node.inputs[1]).size() == 1 && !constant(node.inputs[1]).empty())
      return steps_of_shifted(node);
    std::optional<Shape> shape = rewriter_.value(node.outputs[0]).shape();
    for (ValueId id : node.inputs)
      if (!shape || rewriter_.value(id).shape() != shape) return std::nullopt;
    auto a = steps_of(node.inputs[0]), b = steps_of(node.inputs[1]);
    if (!a || !b) return std::nullopt;
    auto exponents = finer(a->exponents, b->exponents);
    if (!exponents) return std::nullopt;
    Steps sum{{}, false, *exponents, 0};
    for (Steps const* one : {&*a, &*b}) {
      std::optional<double> most = most_in(*one, sum.exponents);
      if (!most) return std::nullopt;
      sum.most += *most;
    }
    if (!(sum.most < kMostSum)) return std::nullopt;
    ValueId left = in_steps(*a, sum.exponents), right = in_steps(*b, sum.exponents);
    sum.value = emit("add", {}, {left, right}, node.outputs[0], DType::kI32, "sum");
    return sum;
  }

  /// The largest of them on the way into finer steps; empty: there is no way.
  static std::optional<double> most_in(Steps const& steps, ChannelExponents const& target) {
    auto [least, most] = std::ranges::minmax(shifts_between(steps.exponents, target));
    if (least < 0 || most > 31 || most - least > kMostPlaces) return std::nullopt;
    return std::ldexp(steps.most, most);
  }

  /// A number more, taken down to whole steps.
  std::optional<Steps> steps_of_shifted(Node const& node) {
    std::optional<Steps> steps = steps_of(node.inputs[0]);
    std::optional<Shape> shape = rewriter_.value(node.outputs[0]).shape();
    if (!steps || !shape || rewriter_.value(node.inputs[0]).shape() != shape) return std::nullopt;
    double number = constant(node.inputs[1]).value_at(0), most = 0;
    if (!std::isfinite(number)) return std::nullopt;
    std::vector<double> whole;
    for (int exponent : steps->exponents.all) {
      whole.push_back(std::floor(std::ldexp(number, -exponent)));
      most = std::max(most, std::abs(whole.back()));
    }
    if (!(most + steps->most < kMostSum)) return std::nullopt;
    if (most == 0) return steps;
    ValueId sum = in_steps(*steps, steps->exponents);
    ValueId numbers = rewriter_.add_constant("number", along(*shape, steps->exponents.axis, whole));
    ValueId shifted = emit("add", {}, {sum, numbers}, node.outputs[0], DType::kI32, "sum");
    return Steps{shifted, false, steps->exponents, steps->most + most};
  }

  /// The same in i32 and in steps that may be finer, with its bias and `more` of each channel.
  ValueId in_steps(Steps const& steps, ChannelExponents const& target,
                   std::vector<double> more = {}) {
    std::vector<int> shifts = shifts_between(steps.exponents, target);
    auto [least, most] = std::ranges::minmax(shifts);
    ValueId value = steps.value;
    if (steps.is_bytes || most > 0)
      value = emit("widen", {{"shift", int64_t(most)}}, {value}, steps.value, DType::kI32, "wide");
    if (least < most) {  // zeros leave again
      for (int& shift : shifts) shift = most - shift;
      value = shifted_right(value, shifts, target.axis);
    }
    Shape shape = rewriter_.value(steps.value).shape().value();
    if (steps.bias.empty() && more.empty()) return value;
    if (!steps.bias.empty()) {
      more.resize(size_t(steps.bias.size()), more.size() == 1 ? more[0] : 0);
      for (size_t c = 0; c < more.size(); ++c)
        more[c] += std::floor(std::ldexp(steps.bias.value_at(int64_t(c)), -target.of(int64_t(c))));
    }
    ValueId like = steps.bias.empty() ? steps.value : steps.bias_of;
    size_t axis = steps.bias.empty() ? target.axis : steps.exponents.axis;
    ValueId bias =
        rewriter_.add_constant(rewriter_.value(like).name + "/steps", along(shape, axis, more));
    return emit("add", {}, {value, bias}, steps.value, DType::kI32, "biased");
  }

  ValueId shifted_right(ValueId value, std::vector<int> const& places, size_t axis) {
    Shape shape = rewriter_.value(value).shape().value();
    std::vector<double> numbers(places.begin(), places.end());
    ValueId constant = rewriter_.add_constant(rewriter_.value(value).name + "/places",
                                              along(shape, axis, numbers));
    return emit("shift_right", {}, {value, constant}, value, DType::kI32, "shifted");
  }

  /// Of the relu or clip that makes `id`, which becomes what that reads. Empty: others read it,
  /// too.
  std::optional<Bounds> bounds_of(ValueId& id) const {
    Bounds bounds;
    if (Node const* relu = maker(id, "relu")) {
      bounds.low = 0;
      id = is_read_once(id) ? relu->inputs[0] : ValueId();
    } else if (Node const* clip = maker(id, "clip")) {
      auto bound = [&](size_t i, char const* name, double otherwise) {
        if (i >= clip->inputs.size() || !clip->inputs[i].valid())
          return number(clip->attributes, name, otherwise);
        NDArray const& given = constant(clip->inputs[i]);
        return given.size() == 1 ? given.value_at(0) : double(NAN);
      };
      bounds = {bound(1, "min", -INFINITY), bound(2, "max", INFINITY)};
      id = is_read_once(id) ? clip->inputs[0] : ValueId();
    }
    return id.valid() ? std::optional(bounds) : std::nullopt;
  }

  /// A bound as the result's bytes, `otherwise` where it is beyond them.
  static std::optional<int64_t> bound_in_bytes(double bound, int exponent, int64_t low,
                                               int64_t high) {
    double steps = std::ldexp(bound, -exponent);
    if (steps <= double(low)) return low;
    if (steps >= double(high)) return high;
    if (steps != std::floor(steps)) return std::nullopt;
    return int64_t(steps);
  }

  bool lower(Node const& node) {
    auto exponents = exponents_of(node);
    auto type = rewriter_.value(node.outputs[0]).type.dtype;
    if (!exponents || exponents->size() != 1 || !type ||
        (*type != DType::kI8 && *type != DType::kU8))
      return false;
    int const exponent = exponents->front();
    ValueId from = node.inputs[0];
    origins_ = node.origins;
    std::optional<Bounds> bounds = bounds_of(from);
    std::optional<Steps> steps = bounds ? steps_of(from) : std::nullopt;
    if (!steps) return false;
    std::vector<int> shifts = shifts_between({{exponent}, 0}, steps->exponents);
    auto [shift, farthest] = std::ranges::minmax(shifts);
    int64_t least = *type == DType::kI8 ? -128 : 0, most = *type == DType::kI8 ? 127 : 255;
    auto low = bound_in_bytes(bounds->low, exponent, least, most),
         high = bound_in_bytes(bounds->high, exponent, least, most);
    bool alike = shift == farthest;
    if (shift < 0 || farthest > (alike ? 31 : kMostPlaces)) return false;
    if (!low || !high || *low > *high) return false;
    if (steps->most + std::ldexp(1, farthest) >= 2 * kMostSum) return false;
    bool whole = *low == least && *high == most;
    bool pooled = steps->is_bytes && !pending_.empty() && shift == 0 && whole &&
                  rewriter_.value(steps->value).type.dtype == type;
    if (pooled)  // bytes already, with the scale that is wanted
      pending_.back().outputs[0] = node.outputs[0];
    else
      requantize(*steps, node.outputs[0], shifts,
                 {{"shift", int64_t(alike ? shift : 0)},
                  {"low", *low},
                  {"high", *high},
                  {"type", std::string(to_text(*type))}});
    pending_.back().name = node.name;
    for (Node& made : pending_) made.origins = origins_;
    return true;
  }

  /// Shifts that differ are rounded by what is added before.
  void requantize(Steps const& steps, ValueId output, std::vector<int> const& shifts,
                  Attributes attributes) {
    std::vector<double> halves;
    bool alike = std::ranges::count(shifts, shifts.front()) == std::ssize(shifts);
    for (int shift : shifts)
      if (!alike) halves.push_back(shift > 0 ? std::ldexp(1, shift - 1) : 0);
    ValueId sums = in_steps(steps, steps.exponents, halves);
    if (!alike) sums = shifted_right(sums, shifts, steps.exponents.axis);
    pending_.push_back(rewriter_.node("requantize", std::move(attributes), {sums}, output));
  }

  /// A node whose result has the extents of `like`.
  ValueId emit(char const* op, Attributes attributes, std::vector<ValueId> inputs, ValueId like,
               DType type, char const* what) {
    Value value;
    value.name = rewriter_.value(like).name + "/" + what;
    value.type = rewriter_.value(like).type;
    value.type.dtype = type;
    ValueId made = rewriter_.add_value(std::move(value));
    pending_.push_back(rewriter_.node(op, std::move(attributes), std::move(inputs), made));
    return made;
  }

  GraphRewriter rewriter_;
  PassCounts& counts_;
  std::vector<Node> pending_;         ///< what stands for a quantization
  std::vector<std::string> origins_;  ///< of what it stands for
};

}  // namespace

GraphPass lower_quantized() {
  return {"lower_quantized",
          "computes in integers between a dequantization and a quantization, where scales are "
          "powers of two",
          "before folding, which would turn quantized weights back into floats",
          [](Graph const& graph, PassChoices const&, PassCounts& counts) -> Result<Graph> {
            return QuantizedLowerer(graph, counts).run();
          }};
}

}  // namespace tw
