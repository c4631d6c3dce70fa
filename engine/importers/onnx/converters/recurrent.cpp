#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/graph/shared/recurrent.h"
#include "engine/importers/onnx/converters.h"

namespace tw::onnx_recurrent {
namespace {

using namespace rules;
using ops::Activation;

/// What the kinds of cells differ in.
struct Cell {
  size_t states = 1;                                ///< h, or h and c
  std::vector<std::string> activations = {"Tanh"};  ///< of one direction, when none are given
  char const* variant = nullptr;                    ///< an attribute that is ours, too
};

/// "HardSigmoid" of our "hard_sigmoid".
std::string name_of(Activation const& activation) {
  std::string name;
  bool begins = true;
  for (char c : activation.name) {
    if (c != '_') name += begins ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = c == '_';
  }
  return name;
}

/// Letters may be large or small. Null when there is none.
Activation const* activation_of(std::string const& name) {
  auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  for (Activation const& one : ops::activations())
    if (std::ranges::equal(name_of(one), name, same)) return &one;
  return nullptr;
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

Status add_activations(ForeignNode const& node, Cell const& cell, Attributes& attributes) {
  std::vector<std::string> names;
  int directions = text(attributes, "direction") == "bidirectional" ? 2 : 1;
  for (int d = 0; d < directions; ++d)
    names.insert(names.end(), cell.activations.begin(), cell.activations.end());
  if (foreign_has(node, "activations")) {
    auto const* given =
        std::get_if<std::vector<std::string>>(&node.attributes.find("activations")->second);
    if (!given || given->size() != names.size())
      return unsupported(fmt::format("{} activations, but {} are expected",
                                     given ? given->size() : 0, names.size()));
    names = *given;
  }
  std::string list;
  std::vector<Activation const*> functions;
  for (std::string const& name : names) {
    functions.push_back(activation_of(name));
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
          fmt::format("the activation {} without its parameters", name_of(*functions[i])));
  attributes["activations"] = list;
  attributes["alphas"] = std::move(alphas);
  attributes["betas"] = std::move(betas);
  return {};
}

Result<Converted> converted(ForeignContext const& context, Cell const& cell) {
  ForeignNode const& node = context.node;
  Attributes attributes{{"direction", foreign_text(node, "direction", "forward")},
                        {"batch_first", foreign_integer(node, "layout", 0)}};
  std::string direction = text(attributes, "direction");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return unsupported(fmt::format("the direction {}", direction));
  if (foreign_has(node, "hidden_size"))
    attributes["hidden"] = foreign_integer(node, "hidden_size", 0);
  if (double clip = foreign_number(node, "clip", 0); clip > 0) attributes["clip"] = clip;
  if (cell.variant) attributes[cell.variant] = foreign_integer(node, cell.variant, 0);
  TRY(add_activations(node, cell, attributes));
  if (input_given(context, 4)) {
    TRY_ASSIGN(attributes["lengths"], constant_integers(context, 4, "the length of each sequence"));
  }
  Converted made;
  made.attributes = std::move(attributes);
  made.outputs = 1 + cell.states;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (i != 4) made.inputs.push_back(node.inputs[i]);  // the lengths are an attribute
  return made;
}

Convert convert(Cell cell) {
  return
      [cell = std::move(cell)](ForeignContext const& context) { return converted(context, cell); };
}

std::vector<KnownAttribute> attributes_and(std::vector<KnownAttribute> more) {
  std::vector<KnownAttribute> all{
      {"activation_alpha"}, {"activation_beta"}, {"activations"}, {"clip"},
      {"direction"},        {"hidden_size"},     {"layout", 14},  {"output_sequence", 1, 6}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "RNN", .attributes = attributes_and({}), .op = "rnn", .convert = convert({})},
      {.type = "GRU",
       .attributes = attributes_and({{"linear_before_reset", 3}}),
       .op = "gru",
       .convert = convert({.activations = {"Sigmoid", "Tanh"}, .variant = "linear_before_reset"})},
      {.type = "LSTM",
       .attributes = attributes_and({{"input_forget"}}),
       .op = "lstm",
       .convert = convert(
           {.states = 2, .activations = {"Sigmoid", "Tanh", "Tanh"}, .variant = "input_forget"})},
  };
  return rules;
}

}  // namespace tw::onnx_recurrent
