#include "engine/session/views/script_views.h"

#include <algorithm>
#include <sstream>

#include "engine/ir/stmt.h"
#include "engine/schedule/explain.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

std::string stripped(std::string line) {
  line = line.substr(0, line.find('#'));
  auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!line.empty() && blank(static_cast<unsigned char>(line.back()))) line.pop_back();
  auto first = std::ranges::find_if_not(line, blank);
  return {first, line.end()};
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// "tilewright schedule 1" and "for KERNEL", which begin a file.
bool is_head(std::string const& line) {
  return line.starts_with("tilewright ") || line.starts_with("for ");
}

/// Loops as scripts call them, and blocks.
std::vector<std::string> names_in(ir::Program const& program) {
  std::vector<std::string> names;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) names.push_back(site.block->name);
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    names.push_back(reference_of(program, site.loop->id));
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

ScriptProblem refused_line(Schedule const& schedule, Step const& step, Refusal const& refusal,
                           int line, std::string const& words) {
  RefusalView view = refusal_view(schedule.program(), with_repairs(schedule, step, refusal), words);
  return {line, 0, true, view.title + ": " + view.message, view.repairs};
}

/// Goes through the lines, one after the other.
class Reviewing {
public:
  Reviewing(ScriptReview& review, Schedule schedule, MacroSet const* macros)
      : review_(review), schedule_(std::move(schedule)), macros_(macros) {
    names_ = names_in(schedule_.program());
  }

  /// `known`: the line stands in the current branch, whose state one begins at.
  void line(int number, std::string const& words, bool known) {
    auto steps = parse_steps(words, macros_);
    if (!known || !steps) name_until(size_t(number));
    if (!steps) {
      Error const& error = steps.error();
      review_.problems.push_back({number, error.place.column, false, error.message, {}});
      goes_on_ = false;
    }
    if (known || !goes_on_) return;
    for (Step const& step : *steps)
      if (!take(step, number, words)) return;
    ++review_.applied;
    names_ = names_in(schedule_.program());
  }
  void end() { name_until(review_.names.size()); }

private:
  bool take(Step const& step, int number, std::string const& words) {
    auto after = taken(schedule_, step, macros_);
    goes_on_ = after.has_value();
    if (goes_on_)
      schedule_ = std::move(*after);
    else
      review_.problems.push_back(refused_line(schedule_, step, after.error(), number, words));
    return goes_on_;
  }
  /// Lines up to that one may name what there is now.
  void name_until(size_t number) {
    for (; goes_on_ && next_ < number && next_ < review_.names.size(); ++next_)
      review_.names[next_] = names_;
  }

  ScriptReview& review_;
  Schedule schedule_;
  MacroSet const* macros_;
  std::vector<std::string> names_;
  bool goes_on_ = true;  ///< no line was wrong up to here
  size_t next_ = 0;
};

/// The name that ends at a place of the line.
std::string word_before(std::string const& line, size_t end) {
  auto of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  size_t begin = end;
  while (begin > 0 && of_name(line[begin - 1])) --begin;
  return line.substr(begin, end - begin);
}

/// What may stand in the brackets of a step: values behind an argument's name, else names of loops,
/// blocks and arguments.
std::vector<std::string> in_brackets(std::string const& line, size_t open,
                                     std::vector<PrimitiveView> const& primitives,
                                     std::vector<std::string> const& names) {
  auto primitive = std::ranges::find(primitives, word_before(line, open), &PrimitiveView::name);
  if (primitive == primitives.end()) return names;
  size_t equals = line.rfind('=');
  bool value = equals != line.npos && equals > open && line.find(',', equals) == line.npos;
  std::string argument = value ? word_before(line, equals) : "";
  std::vector<std::string> all = value ? std::vector<std::string>() : names;
  for (ParameterView const& parameter : primitive->parameters) {
    if (!value) all.push_back(parameter.name + "=");
    if (value && parameter.name == argument) all = parameter.choices;
  }
  return all;
}

}  // namespace

std::expected<Schedule, Refusal> taken(Schedule const& schedule, Step const& step,
                                       MacroSet const* macros) {
  if (macros) return apply_step(schedule, step, *macros, ProofBudget::kInteractive);
  return schedule.apply(step, ProofBudget::kInteractive);
}

std::vector<std::pair<int, std::string>> step_lines(std::string const& text) {
  std::vector<std::pair<int, std::string>> steps;
  int number = 0;
  for (std::string const& line : lines_of(text)) {
    ++number;
    std::string step = stripped(line);
    if (!step.empty() && !is_head(step)) steps.push_back({number, step});
  }
  return steps;
}

std::pair<int, size_t> shared_beginning(History const& history, std::string const& text) {
  auto wanted = step_lines(text);
  for (int node = history.current();; node = history.node(node).parent) {
    auto has = step_lines(history.script(node));
    bool begins = has.size() <= wanted.size() &&
                  std::equal(has.begin(), has.end(), wanted.begin(),
                             [](auto const& a, auto const& b) { return a.second == b.second; });
    if (begins || history.node(node).parent < 0) return {node, begins ? has.size() : 0};
  }
}

ScriptReview script_review(History const& history, std::string const& text, MacroSet const* macros,
                           StopToken stop) {
  ScriptReview review{.text = text, .problems = {}, .names = {}};
  auto steps = step_lines(text);
  auto [node, shared] = shared_beginning(history, text);
  review.is_current = node == history.current() && shared == steps.size();
  review.applied = int(shared);
  review.names.resize(lines_of(text).size() + 1);
  Reviewing reviewing(review, history.node(node).schedule, macros);
  for (size_t i = 0; i < steps.size() && !stop.stop_requested(); ++i)
    reviewing.line(steps[i].first, steps[i].second, i < shared);
  reviewing.end();
  return review;
}

std::vector<std::string> completions(std::string const& line,
                                     std::vector<PrimitiveView> const& primitives,
                                     std::vector<std::string> const& names) {
  std::string word = word_before(line, line.size());
  size_t open = line.rfind('('), close = line.rfind(')');
  bool inside = open != line.npos && (close == line.npos || close < open);
  std::vector<std::string> all;
  if (inside)
    all = in_brackets(line, open, primitives, names);
  else
    for (PrimitiveView const& primitive : primitives) all.push_back(primitive.name);
  std::erase_if(all, [&](std::string const& one) { return !one.starts_with(word) || one == word; });
  std::ranges::sort(all);
  return all;
}

}  // namespace tw::session
