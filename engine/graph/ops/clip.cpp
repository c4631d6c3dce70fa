#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_clip {
namespace {

using namespace ops;

bool given(Buffers inputs, size_t i) { return i < inputs.size() && inputs[i]; }

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 3));
  for (size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i] &&
        (element_count(inputs[i]->shape).value_or(0) != 1 || inputs[i]->type != inputs[0]->type))
      return unfit(fmt::format("a bound of shape {} and type {}", to_text(inputs[i]->shape),
                               to_text(inputs[i]->type)));
  return one(inputs[0]->type, inputs[0]->shape);
}

ir::Expr bound(Attributes const& attributes, Buffers inputs, size_t i, char const* name) {
  if (given(inputs, i))
    return ir::load(inputs[i], std::vector<ir::Expr>(inputs[i]->shape.size(), ir::int_imm(0)));
  if (has(attributes, name)) return immediate(number(attributes, name), inputs[0]->type);
  return {};
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  ir::Expr body = ir::load(inputs[0], te::vars(axes));
  if (ir::Expr low = bound(attributes, inputs, 1, "min")) body = ir::max(body, low);
  if (ir::Expr high = bound(attributes, inputs, 2, "max")) body = ir::min(body, high);
  return single(te::compute(name, axes, body, name));
}

/// A bound of integers, from an operand or an attribute.
int64_t integer_bound(Attributes const& attributes, Arrays inputs, size_t i, char const* name,
                      int64_t otherwise) {
  if (i < inputs.size() && !inputs[i].empty()) return integer_at(inputs[i], 0);
  if (!has(attributes, name)) return otherwise;
  NDArray bound = NDArray::create(inputs[0].type(), {}).value();
  bound.set_value(0, number(attributes, name));
  return integer_at(bound, 0);
}

ReferenceResult clip_integers(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  int64_t low = integer_bound(attributes, inputs, 1, "min", lowest_integer(x.type()));
  int64_t high = integer_bound(attributes, inputs, 2, "max", highest_integer(x.type()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t value = integer_at(x, i);
    if (is_below(value, low, x.type())) value = low;
    set_integer(out, i, is_below(high, value, x.type()) ? high : value);
  }
  return std::vector{out};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  if (is_integer(inputs[0].type())) return clip_integers(attributes, inputs);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = number(attributes, "min", -kInfinity), high = number(attributes, "max", kInfinity);
  if (inputs.size() > 1 && !inputs[1].empty()) low = inputs[1].value_at(0);
  if (inputs.size() > 2 && !inputs[2].empty()) high = inputs[2].value_at(0);
  return map_elements(inputs[0], [&](double v) { return std::min(std::max(v, low), high); });
}

RandomCase random_case(Rng& rng) {
  RandomCase result{{}, {random_array(rng, random_shape(rng, size_t(rng.between(1, 4)), 4))}};
  if (rng.below(2)) {
    result.attributes["min"] = -rng.uniform();
    result.attributes["max"] = rng.uniform();
  } else {
    result.inputs.push_back(random_array(rng, {}));
    result.inputs[1].set_value(0, -0.5);
  }
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "clip",
      .doc = "The element clamped to [min, max].",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X", "low", "high"},
      .attributes = {{"min", "lower bound, if it is not an operand"},
                     {"max", "upper bound, if it is not an operand"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_clip
