#include "engine/session/state/state_cut.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/session/state/kept_times.h"
#include "engine/session/views/cut_views.h"

namespace tw::session {
namespace {

std::string key_of(std::vector<CutPoint> const& points) {
  std::string key;
  for (CutPoint const& point : points) key += fmt::format("{}@{}\n", point.node, point.place);
  return key;
}

void show_times(State const& state, CutView& view) {
  auto now = state.timed_cuts.find(key_of(state.cut)), whole = state.timed_cuts.find("");
  view.ms = view.whole_ms = std::nullopt;
  if (now != state.timed_cuts.end()) view.ms = now->second.ms;
  // Beside the time of other schedules it would say nothing about the cut.
  bool comparable =
      whole != state.timed_cuts.end() && (!view.ms || whole->second.scripts == now->second.scripts);
  if (comparable) view.whole_ms = whole->second.ms;
}

}  // namespace

Cut cut_of(State const& state) {
  Cut cut{{state.here.device}, state.cut};
  for (CutPoint const& point : state.cut)
    if (std::ranges::find(cut.places, point.place) == cut.places.end())
      cut.places.push_back(point.place);
  return cut;
}

Status change_cut(State& state, std::vector<CutPoint> points) {
  std::vector<CutPoint> before = std::exchange(state.cut, std::move(points));
  Cut cut = cut_of(state);
  LoadedModel const& model = *state.model;
  auto view = cut_view(model.after, model.plan, cut, state.graph->groups);
  if (!view) {
    state.cut = std::move(before);
    return std::unexpected(view.error());
  }
  MeasuredTable measured = measured_table(state);
  show_times(state, *view);
  auto table = std::make_shared<KernelTable>(kernel_table(model));
  for (size_t i = 0; i < std::min(state.beside.kernels.size(), table->rows.size()); ++i) {
    KernelRow& row = table->rows[i];
    row.stays_because = state.beside.kernels[i].stays_because;
    // Without a cut everything stays.
    if (row.stays_because.empty() && std::ranges::count(cut.places, state.beside.device) > 0)
      row.helper = state.beside.device;
  }
  if (auto known = state.timed_cuts.find(key_of(state.cut)); known != state.timed_cuts.end())
    table->total_ms = known->second.ms;
  state.table = std::move(table);
  state.timed_scripts.clear();
  state.timed_alone.clear();
  state.cut_shown =
      cut.places.size() > 1 ? std::make_shared<CutView const>(std::move(*view)) : nullptr;
  keep_times(state, measured);
  return {};
}

void take_model_time(State& state, std::map<int, std::string> const& scripts, double ms) {
  state.timed_cuts[key_of(state.cut)] = {scripts, ms};
  if (!state.cut_shown) return;
  auto view = std::make_shared<CutView>(*state.cut_shown);
  show_times(state, *view);
  state.cut_shown = std::move(view);
}

std::vector<std::string> take_project_cut(State& state, Project const& project) {
  std::vector<std::string> lost;
  std::vector<CutPoint> fitting;
  for (ProjectCut const& point : project.cut) {
    std::vector<CutPoint> with = fitting;
    with.push_back({point.node, point.device});
    if (Status taken = change_cut(state, with); taken)
      fitting = std::move(with);
    else
      lost.push_back(
          fmt::format("the cut at '{}' is left out: {}", point.node, taken.error().message));
  }
  return lost;
}

}  // namespace tw::session
