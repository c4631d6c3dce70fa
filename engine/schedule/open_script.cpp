#include "engine/schedule/open_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

constexpr size_t kLongestLine = 1000;
constexpr int64_t kMostFactor = 1024;  // of a number that counts nothing of the program

std::optional<int64_t> number_of(std::string const& word) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

Parameter const* parameter_of(Step const& step, std::string const& name) {
  Primitive const* primitive = find_primitive(step.primitive);
  if (!primitive) return nullptr;
  auto found = std::ranges::find(primitive->parameters, name, &Parameter::name);
  return found == primitive->parameters.end() ? nullptr : &*found;
}

/// Divisors of what is counted, and powers of two below it: a rest is guarded.
std::vector<std::string> factors_of(int64_t extent) {
  std::set<int64_t> factors;
  for (int64_t divisor = 1; divisor * divisor <= extent; ++divisor)
    if (extent % divisor == 0) factors.insert({divisor, extent / divisor});
  for (int64_t power = 1; power < extent; power *= 2) factors.insert(power);
  std::vector<std::string> words;
  for (int64_t factor : factors) words.push_back(std::to_string(factor));
  return words;
}

std::vector<std::string> numbers_of(Parameter const& parameter) {
  std::vector<std::string> words;
  for (int64_t power = 1; power <= std::min(parameter.high, kMostFactor); power *= 2)
    if (power >= parameter.low) words.push_back(std::to_string(power));
  return words;
}

/// What an open argument may be in the program of the moment.
std::vector<std::string> values_of(Parameter const& parameter, Step const& step,
                                   Schedule const& schedule) {
  if (auto words = choices_of(parameter, schedule.target()); !words.empty()) return words;
  if (!parameter.counts || *parameter.counts >= step.targets.size()) return numbers_of(parameter);
  auto loop = find_loop(schedule.program(), step.targets[*parameter.counts]);
  auto extent = loop ? ir::as_int(loop->loop->extent) : std::nullopt;
  return extent ? factors_of(*extent) : std::vector<std::string>{"1"};
}

std::string without_comment(std::string const& line) { return line.substr(0, line.find('#')); }

}  // namespace

Status OpenScript::add(size_t step, int line, std::string const& argument, std::string words) {
  Open open{step, argument, {}, {}, {}};
  Step const& whole = script_.steps[step].second;
  open.knob = (whole.targets.empty() ? whole.primitive : whole.targets.front()) + "." + argument;
  bool taken = std::ranges::find(opens_, open.knob, &Open::knob) != opens_.end();
  if (taken) open.knob += fmt::format("@{}", line);
  Place place{file_, line, 0, {}};
  if (words.starts_with('{')) {
    std::string list = words.substr(1, words.size() - 2);
    std::erase(list, ' ');
    for (size_t at = 0; at <= list.size();) {
      size_t end = std::min(list.find(',', at), list.size());
      open.choices.push_back(list.substr(at, end - at));
      at = end + 1;
    }
    if (std::ranges::find(open.choices, std::string()) != open.choices.end())
      return bad_input("bad_choice", "a list of choices has an empty one", place);
  } else {
    open.preset = words;
  }
  Parameter const* parameter = parameter_of(whole, argument);
  if (parameter && parameter->word && open.choices.empty())
    return bad_input("open_word",
                     fmt::format("{} is a name: list its choices, {}=?{{A,B}}", argument, argument),
                     place);
  opens_.push_back(std::move(open));
  return {};
}

Result<OpenScript> OpenScript::parse(std::string_view text, std::string const& file) {
  static std::regex const kOpen(R"(([A-Za-z_]\w*)\s*=\s*\?(\{[^}]*\}|[\w.]*))");
  OpenScript script;
  script.file_ = file;
  std::string closed;
  struct Found {
    int line;
    std::string argument, words;
  };
  std::vector<Found> found;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = without_comment(std::string(text.substr(at, end - at)));
    ++number;
    if (line.size() > kLongestLine)  // a pattern takes stack for each character
      return bad_input(
          "line_too_long",
          fmt::format("the line has {} characters; the most is {}", line.size(), kLongestLine),
          Place{file, number, 0, {}});
    for (std::sregex_iterator match(line.begin(), line.end(), kOpen), last; match != last; ++match)
      found.push_back({number, (*match)[1], (*match)[2]});
    closed += std::regex_replace(line, kOpen, "$1=1") + "\n";
    at = end + 1;
  }
  TRY_ASSIGN(script.script_, parse_script(closed, file));
  for (Found const& one : found)
    for (size_t i = 0; i < script.script_.steps.size(); ++i)
      if (script.script_.steps[i].first == one.line)
        TRY(script.add(i, one.line, one.argument, one.words));
  return script;
}

OpenScript OpenScript::all_open(std::vector<TakenStep> const& trace) {
  OpenScript script;
  for (TakenStep const& taken : trace) {
    size_t step = script.script_.steps.size();
    script.script_.steps.push_back({int(step) + 1, taken.step});
    for (auto const& [name, value] : taken.step.arguments)
      if (auto const* number = std::get_if<int64_t>(&value))
        (void)script.add(step, int(step) + 1, name, std::to_string(*number));
  }
  return script;
}

void OpenScript::choose(Open const& open, Schedule const& schedule, Decisions& decisions,
                        Step& step) const {
  std::vector<std::string> values = open.choices;
  Parameter const* parameter = parameter_of(step, open.argument);
  if (values.empty() && parameter) values = values_of(*parameter, step, schedule);
  if (values.empty()) values = {"1"};
  std::string preset = open.preset;
  // Where nobody says: the middle of numbers, the first of words.
  if (preset.empty())
    preset = open.choices.empty() && number_of(values.front()) ? values[values.size() / 2]
                                                               : values.front();
  std::string word = decisions.choose(open.knob, values, preset);
  if (auto number = number_of(word); number && !(parameter && parameter->word))
    step.arguments[open.argument] = *number;
  else
    step.arguments[open.argument] = word;
}

Schedule OpenScript::run(ir::Program const& program, std::shared_ptr<Target const> target,
                         Decisions& decisions) const {
  Schedule schedule(program, std::move(target));
  for (size_t i = 0; i < script_.steps.size(); ++i) {
    auto const& [line, whole] = script_.steps[i];
    Step step = whole;
    for (Open const& open : opens_)
      if (open.step == i) choose(open, schedule, decisions, step);
    if (decisions.rejection()) continue;  // only the other choices are asked for
    auto next = std::as_const(schedule).apply(step, decisions.budget());
    if (next)
      schedule = std::move(*next);
    else
      decisions.reject("not legal", fmt::format("line {}: {}", line, next.error().message));
  }
  return schedule;
}

}  // namespace tw
