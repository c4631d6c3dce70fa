#include "engine/tuner/search/learning.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>

namespace tw {
namespace {

std::optional<double> number_in(std::string const& text, double least, double most) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

/// Of words for the values of an enumeration, in their order.
template <typename Choice>
bool choose(Choice& into, std::string const& word, std::vector<std::string> const& words) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return into = Choice(i), true;
  return false;
}

std::vector<std::string> const kObjectives{"rank", "regression"};
std::vector<std::string> const kAcquisitions{"mean", "ei", "ucb"};

struct Setting {
  char const* name;
  char const* values;  ///< for people
  std::function<bool(Learning&, std::string const&)> set;
  std::function<std::string(Learning const&)> text;
};

template <typename Number>
Setting of_number(char const* name, char const* values, Number Learning::*member, double least,
                  double most) {
  return {name, values,
          [=](Learning& learning, std::string const& text) {
            auto value = number_in(text, least, most);
            if (value) learning.*member = Number(*value);
            return value.has_value();
          },
          [=](Learning const& learning) { return fmt::format("{}", learning.*member); }};
}

std::vector<Setting> const& settings() {
  static std::vector<Setting> const all{
      {"objective", "rank or regression",
       [](Learning& one, std::string const& word) {
         return choose(one.objective, word, kObjectives);
       },
       [](Learning const& one) { return kObjectives[size_t(one.objective)]; }},
      {"acquisition", "mean, ei (expected improvement) or ucb (upper confidence bound)",
       [](Learning& one, std::string const& word) {
         return choose(one.acquisition, word, kAcquisitions);
       },
       [](Learning const& one) { return kAcquisitions[size_t(one.acquisition)]; }},
      of_number("deviations", "0 to 100, of ucb", &Learning::deviations, 0, 100),
      of_number("lambda", "1 to 100: of how many times the batch it is chosen", &Learning::choice,
                1, 100),
      of_number("epsilon", "0 to 1: the random part of a batch", &Learning::by_chance, 0, 1)};
  return all;
}

std::unexpected<Error> not_a_setting(std::string const& given) {
  std::string known;
  for (Setting const& one : settings())
    known += fmt::format("{}{}={}", known.empty() ? "" : "; ", one.name, one.values);
  return bad_input("bad_learning",
                   fmt::format("the learned search has no '{}'; there are {}", given, known));
}

}  // namespace

Result<Learning> learning_of(std::vector<std::string> const& given, ModelKind model) {
  Learning learning{.model = model};
  for (std::string const& text : given) {
    size_t equals = text.find('=');
    bool taken = false;
    for (Setting const& one : settings())
      if (equals != std::string::npos && text.substr(0, equals) == one.name)
        taken = one.set(learning, text.substr(equals + 1));
    if (!taken) return not_a_setting(text);
  }
  if (learning.acquisition == Acquisition::kMean) return learning;
  if (learning.objective == Objective::kPairwiseRank)
    return bad_input("bad_learning",
                     "an order has no improvement to expect: acquisition needs "
                     "objective=regression");
  if (model != ModelKind::kTrees)
    return bad_input("bad_learning",
                     "only trees estimate their uncertainty: acquisition needs them");
  return learning;
}

std::vector<std::string> settings_of(Learning const& learning) {
  std::vector<std::string> texts;
  for (Setting const& one : settings())
    if (std::string text = one.text(learning); text != one.text(Learning{}))
      texts.push_back(fmt::format("{}={}", one.name, text));
  return texts;
}

}  // namespace tw
