#include "engine/graph/shared/recurrent.h"

#include <fmt/format.h>

#include <cmath>

namespace tw::ops {
namespace {

bool present(Infos inputs, size_t i) { return i < inputs.size() && inputs[i]; }

/// Of an operand that may be absent.
Status expect_shape(Infos inputs, size_t i, Shape const& shape, char const* what) {
  if (!present(inputs, i) || inputs[i]->shape == shape) return {};
  return unfit(fmt::format("{} is {}, but it should be {}", what, to_text(inputs[i]->shape),
                           to_text(shape)));
}

int64_t directions_of(Attributes const& attributes) {
  return text(attributes, "direction") == "bidirectional" ? 2 : 1;
}

Status check_types(Infos inputs) {
  for (TensorInfo const* input : inputs) {
    if (input && !is_float(input->type)) return unfit("a recurrence needs floats");
    if (input && input->type != inputs[kX]->type)
      return unfit(fmt::format("operands of types {} and {}", to_text(inputs[kX]->type),
                               to_text(input->type)));
  }
  return {};
}

/// The weights against the shape that X and R give.
Status check_operands(RecurrentShape const& s, Infos inputs, CellKind const& kind) {
  int64_t rows = inputs[kR]->shape[1];
  TRY(expect_shape(inputs, kW, {s.directions, rows, s.input}, "W"));
  TRY(expect_shape(inputs, kB, {s.directions, 2 * rows}, "B"));
  for (size_t i = 0; i < kind.states; ++i)
    TRY(expect_shape(inputs, kStates + i, s.state(), i == 0 ? "initial_h" : "initial_c"));
  return expect_shape(inputs, kStates + kind.states, {s.directions, 3 * s.hidden}, "P");
}

}  // namespace

Shape RecurrentShape::whole() const {
  return batch_first ? Shape{batch, steps, directions, hidden}
                     : Shape{steps, directions, batch, hidden};
}

Shape RecurrentShape::state() const {
  return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
}

bool runs_backwards(Attributes const& attributes, int64_t d) {
  return d == 1 || text(attributes, "direction") == "reverse";
}

Result<RecurrentShape> recurrent_shape(Attributes const& attributes, Infos inputs,
                                       CellKind const& kind) {
  TRY(expect_inputs(inputs, 3, kStates + kind.states + (kind.peephole ? 1 : 0)));
  TRY(check_types(inputs));
  Shape const &x = inputs[kX]->shape, &r = inputs[kR]->shape;
  for (auto [name, input] : {std::pair{"X", kX}, {"W", kW}, {"R", kR}})
    if (Shape const& shape = inputs[input]->shape; shape.size() != 3)
      return unfit(
          fmt::format("{} of a recurrence has three dimensions, not {}", name, shape.size()));
  RecurrentShape s;
  s.batch_first = integer(attributes, "batch_first") != 0;
  s.steps = x[s.batch_first ? 1 : 0];
  s.batch = x[s.batch_first ? 0 : 1];
  s.input = x[2];
  s.hidden = r[2];
  s.directions = directions_of(attributes);
  int64_t hidden = integer(attributes, "hidden", s.hidden);
  if (r[0] != s.directions || r[1] % kind.gates != 0 || r[1] / kind.gates != s.hidden ||
      hidden != s.hidden || r[1] > (int64_t(1) << 40))
    return unfit(
        fmt::format("R is {} for {} gates of {} hidden units", to_text(r), kind.gates, hidden));
  TRY(check_operands(s, inputs, kind));
  for (int64_t length : integers(attributes, "lengths"))
    if (length != s.steps)
      return unsupported(
          fmt::format("a sequence of {} steps, while others have {}", length, s.steps));
  return s;
}

InferResult infer_recurrent(Attributes const& attributes, Infos inputs, CellKind const& kind) {
  TRY_ASSIGN(RecurrentShape s, recurrent_shape(attributes, inputs, kind));
  std::vector<TensorInfo> outputs = one(inputs[kX]->type, s.whole());
  for (size_t i = 0; i < kind.states; ++i) outputs.push_back({inputs[kX]->type, s.state(), {}});
  return outputs;
}

RandomCase random_recurrent(Rng& rng, CellKind const& kind) {
  static char const* const names[] = {"forward", "reverse", "bidirectional"};
  RandomCase result;
  RecurrentShape s{rng.between(1, 5), rng.between(1, 3), rng.between(1, 4), rng.between(1, 5), 1,
                   rng.below(2) == 1};
  std::string direction = names[rng.below(3)];
  s.directions = direction == "bidirectional" ? 2 : 1;
  result.attributes = {{"direction", direction}, {"batch_first", int64_t(s.batch_first)}};
  if (rng.below(3) == 0) result.attributes["clip"] = 0.5 + rng.uniform();
  if (rng.below(2)) result.attributes["hidden"] = s.hidden;
  if (rng.below(3) == 0) {
    std::string list;
    std::vector<double> alphas, betas;
    for (int64_t i = 0; i < s.directions * int64_t(kind.activations.size()); ++i) {
      Activation const& one = *find_activation(std::vector<char const*>{
          "sigmoid", "tanh", "relu", "softsign", "softplus", "leaky_relu", "thresholded_relu",
          "elu", "affine", "scaled_tanh", "hard_sigmoid"}[size_t(rng.below(11))]);
      list += (list.empty() ? "" : " ") + one.name;
      alphas.push_back(0.2 + rng.uniform() / 2);
      betas.push_back(rng.uniform() / 2);
    }
    result.attributes["activations"] = list;
    result.attributes["alphas"] = alphas;
    result.attributes["betas"] = betas;
  }
  int64_t rows = kind.gates * s.hidden;
  Shape x = s.batch_first ? Shape{s.batch, s.steps, s.input} : Shape{s.steps, s.batch, s.input};
  result.inputs = {random_array(rng, x), random_array(rng, {s.directions, rows, s.input}),
                   random_array(rng, {s.directions, rows, s.hidden})};
  // Small ones: a recurrence of functions without bounds grows from step to step.
  for (size_t i : {kW, kR})
    for (int64_t k = 0; k < result.inputs[i].size(); ++k)
      result.inputs[i].set_value(k, result.inputs[i].value_at(k) * 0.3);
  std::vector<Shape> more{{s.directions, 2 * rows}};
  more.insert(more.end(), kind.states, s.state());
  if (kind.peephole) more.push_back({s.directions, 3 * s.hidden});
  for (Shape const& shape : more)
    result.inputs.push_back(rng.below(3) ? random_array(rng, shape) : NDArray());
  return result;
}

std::vector<AttributeDoc> recurrent_attributes() {
  return {
      {"direction", "forward, reverse or bidirectional"},
      {"batch_first", "1: the batch is the first axis of every tensor, else the steps of X and Y"},
      {"hidden", "the number of hidden units, as the model gives it"},
      {"clip", "the input of an activation is clamped to [-clip, clip]"},
      {"activations", "activation functions of the gates, for all directions"},
      {"alphas", "first parameter of each activation"},
      {"betas", "second parameter of each activation"},
      {"lengths", "length of each sequence, if the model gives it; all must be equal"}};
}

}  // namespace tw::ops
