#include "engine/graph/shared/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tw::ops {
namespace {

bool present(Infos inputs, size_t i) { return i < inputs.size() && inputs[i]; }

/// Of an operand that may be absent.
Status expect_shape(Infos inputs, size_t i, Shape const& shape, char const* what) {
  if (!present(inputs, i) || inputs[i]->shape == shape) return {};
  return unfit(
      fmt::format("{} is {}, it should be {}", what, to_text(inputs[i]->shape), to_text(shape)));
}

int64_t directions_of(Attributes const& attributes) {
  return text(attributes, "direction") == "bidirectional" ? 2 : 1;
}

Status check_types(Infos inputs) {
  for (TensorInfo const* input : inputs) {
    if (input && !is_float(input->type)) return unfit("a recurrence is over floats");
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

/// Functions that need them take from a list in the order of the activations.
std::vector<double> parameters(std::vector<double> const& given,
                               std::vector<Activation const*> const& functions, int which) {
  std::vector<double> result;
  size_t next = 0;
  for (Activation const* function : functions) {
    bool takes = function->parameters > which;
    double otherwise = which == 0 ? function->alpha : function->beta;
    result.push_back(takes && next < given.size() ? given[next++] : otherwise);
  }
  return result;
}

Status add_activations(ForeignNode const& node, CellKind const& kind, Attributes& attributes) {
  std::vector<std::string> names;
  for (int64_t d = 0; d < directions_of(attributes); ++d)
    names.insert(names.end(), kind.activations.begin(), kind.activations.end());
  if (onnx_has(node, "activations")) {
    auto const* given =
        std::get_if<std::vector<std::string>>(&node.attributes.find("activations")->second);
    if (!given || given->size() != names.size())
      return unsupported(fmt::format("{} activations where {} are expected",
                                     given ? given->size() : 0, names.size()));
    names = *given;
  }
  std::string list;
  std::vector<Activation const*> functions;
  for (std::string const& name : names) {
    functions.push_back(find_activation(name));
    if (!functions.back()) return unsupported(fmt::format("the activation {}", name));
    list += (list.empty() ? "" : " ") + functions.back()->name;
  }
  auto given = [&](char const* name) {
    auto found = node.attributes.find(name);
    auto const* numbers =
        found == node.attributes.end() ? nullptr : std::get_if<std::vector<double>>(&found->second);
    return numbers ? *numbers : std::vector<double>();
  };
  std::vector<double> alphas = parameters(given("activation_alpha"), functions, 0);
  std::vector<double> betas = parameters(given("activation_beta"), functions, 1);
  for (size_t i = 0; i < functions.size(); ++i)
    if (std::isnan(alphas[i]) || std::isnan(betas[i]))
      return unsupported(
          fmt::format("the activation {} without its parameters", functions[i]->onnx));
  attributes["activations"] = list;
  attributes["alphas"] = std::move(alphas);
  attributes["betas"] = std::move(betas);
  return {};
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
      return unsupported(fmt::format("a sequence of {} steps among others of {}", length, s.steps));
  return s;
}

InferResult infer_recurrent(Attributes const& attributes, Infos inputs, CellKind const& kind) {
  TRY_ASSIGN(RecurrentShape s, recurrent_shape(attributes, inputs, kind));
  std::vector<TensorInfo> outputs = one(inputs[kX]->type, s.whole());
  for (size_t i = 0; i < kind.states; ++i) outputs.push_back({inputs[kX]->type, s.state(), {}});
  return outputs;
}

Result<Converted> recurrent_from_onnx(ForeignContext const& context, CellKind const& kind) {
  ForeignNode const& node = context.node;
  Attributes attributes{{"direction", onnx_text(node, "direction", "forward")},
                        {"batch_first", onnx_integer(node, "layout", 0)}};
  std::string direction = text(attributes, "direction");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return unsupported(fmt::format("the direction {}", direction));
  if (onnx_has(node, "hidden_size")) attributes["hidden"] = onnx_integer(node, "hidden_size", 0);
  if (double clip = onnx_number(node, "clip", 0); clip > 0) attributes["clip"] = clip;
  TRY(add_activations(node, kind, attributes));
  if (input_given(context, 4)) {
    TRY_ASSIGN(attributes["lengths"], constant_integers(context, 4, "the length of each sequence"));
  }
  Converted converted;
  converted.attributes = std::move(attributes);
  converted.outputs = 1 + kind.states;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (i != 4) converted.inputs.push_back(node.inputs[i]);  // the lengths are an attribute
  return converted;
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
      {"hidden", "how many units there are, as the model says"},
      {"clip", "what a gate sums up is moved into [-clip, clip]"},
      {"activations", "names of the gates' functions, of all directions"},
      {"alphas", "first parameter of each"},
      {"betas", "second parameter of each"},
      {"lengths", "steps of each sequence, when the model says it; all are the same"}};
}

}  // namespace tw::ops
