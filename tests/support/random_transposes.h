/// Random graphs with transposes between everything that they move through.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/inference.h"
#include "engine/support/base/random.h"

namespace tw::testing {

/// Graphs of a few inputs with small whole numbers, and nodes that read what was made before; two
/// of five are transposes. `made` counts operators and what is special about their operands.
class RandomTransposes {
public:
  explicit RandomTransposes(uint64_t seed) : rng_(seed) {
    graph_.name = "random";
    for (int64_t i = rng_.between(1, 2); i > 0; --i) {
      DType type = rng_.below(4) == 0 ? DType::kI8 : DType::kF32;
      ValueId id = graph_.add_value(
          {"x" + std::to_string(i), tensor_type(type, random_shape(rng_.between(1, 5))), {}});
      graph_.inputs.push_back(id);
      usable_.push_back(id);
    }
  }

  Graph make() {
    for (int64_t i = rng_.between(4, 20); i > 0; --i) grow();
    graph_.outputs = {usable_.back()};
    for (ValueId id : usable_)
      if (id != usable_.back() && rng_.below(10) == 0) graph_.outputs.push_back(id);
    return graph_;
  }
  std::map<std::string, int> const& made() const { return made_; }

private:
  using Axes = std::vector<int64_t>;

  Shape random_shape(int64_t rank) {
    Shape shape;
    for (int64_t i = 0; i < rank; ++i) shape.push_back(rng_.below(3) == 0 ? 1 : rng_.between(2, 4));
    return shape;
  }
  Shape shape(ValueId id) const { return *graph_.value(id).shape(); }
  DType type(ValueId id) const { return *graph_.value(id).type.dtype; }
  bool is_f32(ValueId id) const { return type(id) == DType::kF32; }

  ValueId pick() {
    int64_t count = std::ssize(usable_);
    return usable_[size_t(std::max(rng_.below(count), rng_.below(count)))];
  }

  ValueId constant(DType type, Shape const& shape, int64_t low = -3, int64_t high = 3) {
    NDArray array = NDArray::create(type, shape).value();
    for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(rng_.between(low, high)));
    return graph_.add_value(
        {"c" + std::to_string(graph_.values.size()), tensor_type(type, shape), array});
  }

  /// Empty: it does not fit, and nothing was added.
  std::optional<ValueId> add(char const* op, std::vector<ValueId> inputs,
                             Attributes attributes = {}) {
    Graph with = graph_;
    std::string name = op + std::to_string(graph_.nodes.size());
    ValueId out = with.add_value({name, {}, {}});
    Node node{
        name, find_operator(op), op, std::move(attributes), std::move(inputs), {out}, {name}, {},
        {}};
    if (!infer_outputs(with, node) || !node.op || with.value(out).is_constant()) return {};
    auto count = element_count(with.value(out).shape().value_or(Shape{}));
    if (!count || *count > 4000) return {};
    with.nodes.push_back(node);
    graph_ = std::move(with);
    usable_.push_back(out);
    ++made_[op];
    return out;
  }

  void note(char const* what, bool holds = true) { made_[what] += holds; }

  Axes random_order(size_t rank) {
    Axes order;
    for (size_t i = 0; i < rank; ++i)
      order.insert(order.begin() + rng_.below(int64_t(i) + 1), int64_t(i));
    return order;
  }

  int64_t any_axis(ValueId id) {
    int64_t rank = std::ssize(shape(id)), axis = rng_.below(rank);
    return rng_.below(3) == 0 ? axis - rank : axis;
  }
  Axes some_axes(ValueId id) {
    Axes axes;
    for (size_t i = 0; i < shape(id).size(); ++i)
      if (rng_.below(2)) axes.push_back(int64_t(i));
    return axes;
  }

  void grow() {
    ValueId x = pick();
    if (shape(x).empty()) return;
    if (rng_.below(5) < 2) return transpose(x);
    switch (rng_.below(12)) {
      case 0:
        return unary(x);
      case 1:
      case 2:
        return binary(x);
      case 3:
        return join(x);
      case 4:
        return cut(x);
      case 5:
        return reduce(x);
      case 6:
        return rows(x);
      case 7:
        return reshape(x);
      case 8:
        return bytes(x);
      case 9:
        return rigid(x);
      case 10:
        return choose(x);
      default:
        return between(x);
    }
  }

  void transpose(ValueId x) {
    Axes order = random_order(shape(x).size());
    if (rng_.below(8) == 0 && shape(x).size() < 4) {  // of a constant that is then added
      Shape from;
      for (size_t i = 0; i < order.size(); ++i) from.push_back(0);
      for (size_t i = 0; i < order.size(); ++i) from[size_t(order[i])] = shape(x)[i];
      ValueId c = constant(type(x), from);
      std::string name = "turned" + std::to_string(graph_.values.size());
      ValueId out = graph_.add_value({name, tensor_type(type(x), shape(x)), {}});
      graph_.nodes.push_back({name,
                              find_operator("transpose"),
                              "transpose",
                              {{"order", order}},
                              {c},
                              {out},
                              {name},
                              {},
                              {}});
      note("transposed constant");
      usable_.push_back(out);
      add("add", {x, out});
      return;
    }
    if (rng_.below(6) == 0)
      add("transpose", {x});
    else
      add("transpose", {x}, {{"order", order}});
  }

  /// Back and forth around one node, as models of another format have it.
  void between(ValueId x) {
    if (shape(x).size() != 4 || !is_f32(x)) return unary(x);
    auto to = add("transpose", {x}, {{"order", Axes{0, 3, 1, 2}}});
    if (!to) return;
    int64_t channels = shape(*to)[1];
    auto conv = add("conv", {*to, constant(DType::kF32, {2, channels, 1, 1})},
                    {{"kernel", Axes{1, 1}}, {"group", int64_t(1)}});
    if (!conv) return;
    auto back = add("transpose", {*conv}, {{"order", Axes{0, 2, 3, 1}}});
    if (back && rng_.below(2)) add("add", {*back, constant(DType::kF32, {2})});
    note("between");
  }

  void unary(ValueId x) {
    char const* const ops[] = {"relu", "neg", "abs", "identity", "sigmoid", "clip", "cast"};
    std::string op = ops[rng_.below(7)];
    if (op == "clip") {
      add("clip", {x, constant(type(x), {}, -2, 0), constant(type(x), {}, 1, 2)});
    } else if (op == "cast") {
      add("cast", {x}, {{"type", std::string(is_f32(x) ? "i8" : "f32")}});
    } else {
      add(op.c_str(), {x});
    }
  }

  /// A shape that is broadcast to the tensor's.
  Shape part_of(Shape shape) {
    for (int64_t& extent : shape)
      if (rng_.below(3) == 0) extent = 1;
    if (rng_.below(2))
      shape.erase(shape.begin(), shape.begin() + rng_.below(std::ssize(shape) + 1));
    return shape;
  }

  void binary(ValueId x) {
    char const* const ops[] = {"add", "sub", "mul", "max"};
    char const* op = ops[rng_.below(4)];
    ValueId other = pick();
    if (rng_.below(3)) {
      for (int i = 0; i < 4 && (type(other) != type(x) || other == x); ++i) other = pick();
      if (type(other) == type(x)) {
        bool same = shape(other) == shape(x), wider = shape(other).size() != shape(x).size();
        if (add(op, {x, other})) note(same ? "same shapes" : wider ? "fewer axes" : "broadcast");
        return;
      }
    }
    Shape const part = part_of(shape(x));
    other = constant(type(x), part);
    bool first = rng_.below(3) == 0;
    if (add(op, first ? std::vector{other, x} : std::vector{x, other}))
      note(part.size() < shape(x).size() ? "constant of fewer axes" : "constant operand");
  }

  void join(ValueId x) {
    std::vector<ValueId> parts{x};
    for (ValueId id : usable_)
      if (parts.size() < 3 && type(id) == type(x) && shape(id).size() == shape(x).size() &&
          rng_.below(2))
        parts.push_back(id);
    int64_t axis = any_axis(x);
    if (parts.size() > 1 && add("concat", parts, {{"axis", axis}})) return;
    Shape more = shape(x);
    more[size_t(axis < 0 ? axis + std::ssize(more) : axis)] = rng_.between(1, 2);
    add("concat", {x, rng_.below(2) ? x : constant(type(x), more)}, {{"axis", axis}});
  }

  void cut(ValueId x) {
    int64_t kind = rng_.below(3), axis = any_axis(x);
    if (kind == 0) {
      add("split", {x}, {{"axis", axis}, {"parts", int64_t(2)}, {"index", int64_t(0)}});
    } else if (kind == 1) {
      Attributes attributes{{"starts", Axes{rng_.between(-2, 1)}}, {"ends", Axes{9}}};
      if (rng_.below(3)) attributes["axes"] = Axes{axis};
      if (rng_.below(3) == 0) attributes["steps"] = Axes{2};
      add("slice", {x}, attributes);
    } else {
      char const* const modes[] = {"constant", "edge"};
      Axes pads;
      for (size_t i = 0; i < 2 * shape(x).size(); ++i)
        pads.push_back(rng_.below(3) == 0 ? rng_.between(1, 2) : 0);
      std::vector<ValueId> inputs{x};
      std::string mode = modes[rng_.below(2)];
      if (mode == "constant" && rng_.below(2)) inputs.push_back(constant(type(x), {}));
      add("pad", inputs, {{"mode", mode}, {"pads", pads}});
    }
  }

  void reduce(ValueId x) {
    char const* const ops[] = {"reduce_sum", "reduce_max", "reduce_mean", "arg_max"};
    std::string op = ops[rng_.below(4)];
    int64_t keep = rng_.below(2);
    Attributes attributes{{"keep", keep}};
    if (op == "arg_max")
      attributes["axis"] = any_axis(x);
    else if (rng_.below(5))
      attributes["axes"] = some_axes(x);
    if (add(op.c_str(), {x}, attributes)) note(keep ? "kept axes" : "dropped axes");
  }

  void rows(ValueId x) {
    char const* const ops[] = {"softmax", "log_softmax", "hardmax"};
    Attributes attributes{{"axis", any_axis(x)}};
    if (rng_.below(3) == 0) attributes["to_end"] = int64_t(1);
    add(ops[rng_.below(3)], {x}, attributes);
  }

  void reshape(ValueId x) {
    Shape to = shape(x);
    int64_t kind = rng_.below(4);
    if (kind == 0) {
      add("unsqueeze", {x}, {{"axes", Axes{rng_.below(std::ssize(to) + 1)}}});
    } else if (kind == 1) {
      Axes axes;
      for (size_t i = 0; i < to.size(); ++i)
        if (to[i] == 1 && rng_.below(2)) axes.push_back(int64_t(i));
      add("squeeze", {x}, {{"axes", axes}});
    } else if (kind == 2) {
      add("flatten", {x}, {{"axis", rng_.below(std::ssize(to) + 1)}});
    } else {
      std::erase(to, 1);
      while (to.size() < 5 && rng_.below(2))
        to.insert(to.begin() + rng_.below(std::ssize(to) + 1), 1);
      if (rng_.below(4) == 0 && to.size() > 1) to = {-1, to.back()};
      add("reshape", {x}, {{"shape", to}});
    }
  }

  void bytes(ValueId x) {
    bool along = rng_.below(2);
    int64_t axis = any_axis(x),
            extent = shape(x)[size_t(axis < 0 ? axis + std::ssize(shape(x)) : axis)];
    Shape const scales = along ? Shape{extent} : Shape{};
    ValueId scale = constant(DType::kF32, scales, 1, 3);
    ValueId zero = constant(DType::kI8, scales, -2, 2);
    bool made = is_f32(x)
                    ? add("quantize_linear", {x, scale, zero}, {{"axis", axis}}).has_value()
                    : add("dequantize_linear", {x, scale, zero}, {{"axis", axis}}).has_value();
    if (made) note(along ? "scales along an axis" : "one scale");
  }

  /// What keeps its axes where they are.
  void rigid(ValueId x) {
    Shape const from = shape(x);
    int64_t kind = rng_.below(4);
    if (from.size() == 2 && is_f32(x) && kind < 2) {
      int64_t flip = rng_.below(2);
      add("gemm", {x, constant(DType::kF32, {from[flip ? 0 : 1], 3})}, {{"transpose_a", flip}});
    } else if (from.size() >= 2 && is_f32(x) && kind == 2) {
      add("matmul", {x, constant(DType::kF32, {from.back(), 2})});
    } else if (from.size() == 4 && is_f32(x)) {
      add("global_average_pool", {x});
    } else {
      add("cum_sum", {x}, {{"axis", any_axis(x)}});
    }
  }

  void choose(ValueId x) {
    ValueId other = constant(type(x), part_of(shape(x)));
    auto condition = add("greater", {x, other});
    if (condition) add("where", {*condition, x, rng_.below(2) ? x : other});
  }

  Rng rng_;
  Graph graph_;
  std::vector<ValueId> usable_;
  std::map<std::string, int> made_;
};

}  // namespace tw::testing
