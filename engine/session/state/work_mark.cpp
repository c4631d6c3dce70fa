#include "engine/session/state/work_mark.h"

#include <fmt/format.h>

#include <string>

#include "engine/session/state/session_state.h"

namespace tw::session {

uint64_t work_mark(History const& history) {
  std::string all =
      fmt::format("{} {} {}\n", history.size(), history.current(), history.baseline());
  for (int id = 0; size_t(id) < history.size(); ++id) {
    HistoryNode const& node = history.node(id);
    all += fmt::format("{} {} {}\n{}\n", node.parent, node.tagged, node.name, node.note);
    for (std::string const& step : node.steps) all += step + "\n";
  }
  return std::hash<std::string>()(all) | 1;
}

/// A kernel that was only looked at has the history that it began with.
uint64_t work_mark(State const& state) {
  if (!state.model) return 0;
  std::string all = state.shapes + "\n" + state.beside.device + "\n";
  for (auto const& [knob, value] : arrangement_of(*state.model)) all += knob + "=" + value + "\n";
  for (CutPoint const& point : state.cut) all += point.node + " on " + point.place + "\n";
  for (std::string const& text : own_kernels_of(state)) all += text + "\n";
  for (KindSchedule const& one : state.on_kinds)
    all += one.kernel + " on " + one.kind + ":\n" + one.script + "\n";
  for (auto const& [row, work] : state.kernels)
    if (uint64_t mark = work_mark(work.history); mark != work.begun)
      all += fmt::format("{} {}\n", row, mark);
  return std::hash<std::string>()(all) | 1;
}

}  // namespace tw::session
