#include "engine/session/views/script_views.h"

#include <algorithm>
#include <sstream>

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

std::expected<Schedule, Refusal> taken(Schedule const& schedule, Step const& step,
                                       MacroSet const* macros) {
  if (macros) return apply_step(schedule, step, *macros, Effort::kInteractive);
  return schedule.apply(step, Effort::kInteractive);
}

ScriptProblem refused_line(Schedule const& schedule, Step const& step, Refusal const& refusal,
                           int line, std::string const& words) {
  RefusalView view = refusal_view(schedule.program(), with_repairs(schedule, step, refusal), words);
  return {line, 0, true, view.title + ": " + view.message, view.repairs};
}

}  // namespace

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
  ScriptReview check{.text = text, .problems = {}, .names = {}};
  auto steps = step_lines(text);
  auto [node, shared] = shared_beginning(history, text);
  check.is_current = node == history.current() && shared == steps.size();
  check.names.resize(lines_of(text).size() + 1);
  Schedule schedule = history.node(node).schedule;
  std::vector<std::string> names = names_in(schedule.program());
  bool goes_on = true;
  size_t next_line = 0;
  auto name_until = [&](size_t line) {
    for (; goes_on && next_line < line && next_line < check.names.size(); ++next_line)
      check.names[next_line] = names;
  };
  check.applied = int(shared);
  for (size_t i = 0; i < steps.size() && !stop.stop_requested(); ++i) {
    auto const& [line, words] = steps[i];
    auto parsed = parse_steps(words, macros);
    if (!parsed) {
      name_until(size_t(line));  // somebody is just writing it
      check.problems.push_back(
          {line, parsed.error().place.column, false, parsed.error().message, {}});
      goes_on = false;
      continue;
    }
    if (i < shared || !goes_on) continue;
    name_until(size_t(line));
    for (Step const& step : *parsed) {
      auto after = taken(schedule, step, macros);
      goes_on = after.has_value();
      if (!goes_on) {
        check.problems.push_back(refused_line(schedule, step, after.error(), line, words));
        break;
      }
      schedule = std::move(*after);
    }
    if (!goes_on) continue;
    check.applied = int(i) + 1;
    names = names_in(schedule.program());
  }
  name_until(check.names.size());
  return check;
}

std::vector<std::string> completions(std::string const& line,
                                     std::vector<PrimitiveView> const& primitives,
                                     std::vector<std::string> const& names) {
  // After the last ";" or "=" that stands outside of brackets a step begins.
  size_t open = line.rfind('('), close = line.rfind(')');
  bool inside = open != line.npos && (close == line.npos || close < open);
  auto part_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  size_t begin = line.size();
  while (begin > 0 && part_of_word(line[begin - 1])) --begin;
  std::string word = line.substr(begin);
  std::vector<std::string> all;
  if (!inside) {
    for (PrimitiveView const& primitive : primitives) all.push_back(primitive.name);
  } else {
    size_t end = open, start = open;
    while (start > 0 && part_of_word(line[start - 1])) --start;
    std::string primitive = line.substr(start, end - start);
    auto found = std::ranges::find(primitives, primitive, &PrimitiveView::name);
    size_t value = line.rfind('=');
    if (found != primitives.end() && value != line.npos && value > open &&
        line.find(',', value) == line.npos) {
      std::string name = line.substr(0, value);
      size_t from = name.find_last_of("(, ");
      name = name.substr(from + 1);
      for (ParameterView const& parameter : found->parameters)
        if (parameter.name == name) all = parameter.choices;
    } else {
      all = names;
      if (found != primitives.end())
        for (ParameterView const& parameter : found->parameters)
          all.push_back(parameter.name + "=");
    }
  }
  std::erase_if(all, [&](std::string const& one) { return !one.starts_with(word) || one == word; });
  std::ranges::sort(all);
  return all;
}

}  // namespace tw::session
