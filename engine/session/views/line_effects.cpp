#include "engine/session/views/line_effects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "engine/ir/stmt.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/names.h"
#include "engine/session/step_words.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

std::vector<std::string> loop_names(ir::Program const& program) {
  std::vector<std::string> names;
  for (ir::LoopSite const& site : ir::loops_of(program.body))
    names.push_back(reference_of(program, site.loop->id));
  return names;
}

std::vector<std::string> without(std::vector<std::string> names,
                                 std::vector<std::string> const& others) {
  std::erase_if(names, [&](auto const& name) { return std::ranges::count(others, name) > 0; });
  return names;
}

using Lines = std::vector<std::pair<int, std::string>>;

/// The entry on the way to the current one that has the first `count` lines; -1: none has.
int node_with(History const& history, Lines const& lines, size_t count) {
  for (int node = history.current(); node >= 0; node = history.node(node).parent) {
    Lines has = step_lines(history.script(node));
    auto same = [](auto const& a, auto const& b) { return a.second == b.second; };
    if (has.size() == count && std::equal(has.begin(), has.end(), lines.begin(), same)) return node;
  }
  return -1;
}

/// As far as the lines are legal; the sentence says which one is not.
struct Reached {
  Schedule schedule;
  std::string failure;
};

Reached after_line(Reached reached, std::string const& words, MacroSet const* macros) {
  auto steps = parse_steps(words, macros);
  if (!steps) return {std::move(reached.schedule), steps.error().message};
  for (Step const& step : *steps) {
    auto next = taken(reached.schedule, step, macros);
    if (!next) {
      RefusalView view = refusal_view(reached.schedule.program(), next.error(), words);
      return {std::move(reached.schedule), view.title + ": " + view.message};
    }
    reached.schedule = std::move(*next);
  }
  return reached;
}

/// Before the line `at`: from the nearest entry of the history on.
Reached before_line(History const& history, Lines const& lines, size_t at, MacroSet const* macros,
                    StopToken stop) {
  size_t have = at;
  int node = node_with(history, lines, have);
  while (node < 0 && have > 0) node = node_with(history, lines, --have);
  Reached reached{history.node(std::max(node, 0)).schedule, ""};
  for (; have < at && reached.failure.empty() && !stop.stop_requested(); ++have) {
    reached = after_line(std::move(reached), lines[have].second, macros);
    if (!reached.failure.empty())
      reached.failure = fmt::format("line {} before it is not legal", lines[have].first);
  }
  return reached;
}

/// Steps behind the first `count`, as lines.
std::vector<std::string> lines_after(Schedule const& schedule, size_t count) {
  std::vector<std::string> lines;
  for (size_t i = count; i < schedule.trace().size(); ++i)
    lines.push_back(to_text(schedule.trace()[i].step));
  return lines;
}

/// Macros of folders are always taken as primitives, those of the program as one step.
std::vector<std::string> written_out(Schedule const& before, std::string const& words,
                                     MacroSet const* macros) {
  auto steps = parse_steps(words, macros);
  auto macro_of = [&](Step const& step) {
    Macro const* own = program_macros().find(step.primitive);
    return own || !macros ? own : macros->find(step.primitive);
  };
  if (!steps || steps->size() != 1 || !macro_of(steps->front())) return {};
  bool own = program_macros().find(steps->front().primitive) != nullptr;
  auto after = apply_macro(before, *macro_of(steps->front()), steps->front(),
                           own || !macros ? program_macros() : *macros);
  return after ? lines_after(*after, before.trace().size()) : std::vector<std::string>();
}

void compare(LineEffect& effect, ir::Program const& before, ir::Program const& after) {
  for (CodeLine const& line : with_changes(text_of_program(after), text_of_program(before)).lines) {
    effect.added += line.change == LineChange::kAdded;
    effect.removed += line.change == LineChange::kRemoved;
    effect.moved += line.change == LineChange::kMovedUp || line.change == LineChange::kMovedDown;
  }
  auto had = loop_names(before), has = loop_names(after);
  effect.made = without(has, had);
  effect.gone = without(had, has);
}

std::string loops_text(LineEffect const& effect) {
  auto list = [](std::vector<std::string> const& names) {
    constexpr size_t kMost = 6;
    if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                       names.size() - kMost);
  };
  if (effect.made.empty() && effect.gone.empty()) return "";
  if (effect.gone.empty()) return "makes " + list(effect.made);
  if (effect.made.empty()) return "takes " + list(effect.gone) + " away";
  return "makes " + list(effect.made) + " of " + list(effect.gone);
}

std::string lines_text(LineEffect const& effect) {
  if (effect.added + effect.removed + effect.moved == 0) return "the program is unchanged";
  std::string text;
  auto add = [&text](char const* sign, int count) {
    if (count > 0) text += fmt::format(" {}{}", sign, count);
  };
  add("+", effect.added);
  add("−", effect.removed);
  add("↕", effect.moved);
  return "program" + text + " lines";
}

std::string time_text(LineEffect const& effect, HistoryView const* history) {
  auto has = [&](int node) { return history && node >= 0 && size_t(node) < history->nodes.size(); };
  if (!has(effect.node_before) || !has(effect.node_after)) return "";
  HistoryNodeView const& before = history->nodes[size_t(effect.node_before)];
  HistoryNodeView const& after = history->nodes[size_t(effect.node_after)];
  auto told = [](std::string const& how, double from, double to) {
    double times = to > 0 && from > 0 ? from / to : 1;
    std::string text =
        fmt::format("{} {} → {}", how, milliseconds_text(from), milliseconds_text(to));
    if (times >= 1.005) return text + fmt::format(", {:.2f}× as fast", times);
    if (times <= 0.995) return text + fmt::format(", {:.2f}× as slow", 1 / times);
    return text + ", as fast";
  };
  if (before.min_ms && after.min_ms) return told("measured", *before.min_ms, *after.min_ms);
  if (before.model_ms && after.model_ms)
    return told("○ modelled", *before.model_ms, *after.model_ms);
  return after.failure.empty() ? "" : "not measured: " + after.failure;
}

}  // namespace

LineEffect effect_of_line(History const& history, std::string const& text, int line,
                          MacroSet const* macros, StopToken stop) {
  LineEffect effect;
  Lines lines = step_lines(text);
  auto asked = std::ranges::find(lines, line, &std::pair<int, std::string>::first);
  if (asked == lines.end()) return effect;
  size_t at = size_t(asked - lines.begin());
  effect.step = short_step(asked->second);
  Reached before = before_line(history, lines, at, macros, stop);
  if (effect.failure = before.failure; !effect.failure.empty()) return effect;
  Reached after = after_line(before, asked->second, macros);
  if (effect.failure = after.failure; !effect.failure.empty()) return effect;
  effect.written_out = written_out(before.schedule, asked->second, macros);
  compare(effect, before.schedule.program(), after.schedule.program());
  effect.node_before = node_with(history, lines, at);
  effect.node_after = node_with(history, lines, at + 1);
  return effect;
}

std::string words_of(LineEffect const& effect, HistoryView const* history) {
  if (effect.step.empty()) return "";
  if (!effect.failure.empty()) return effect.step + " does nothing: " + effect.failure;
  std::string text = effect.step + ": ";
  if (std::string loops = loops_text(effect); !loops.empty()) text += loops + "; ";
  text += lines_text(effect);
  if (std::string time = time_text(effect, history); !time.empty()) text += "; " + time;
  return text;
}

}  // namespace tw::session
