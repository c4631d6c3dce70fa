#include "engine/session/state/kept_times.h"

#include <algorithm>

#include "engine/session/model/loaded_model.h"
#include "engine/session/state/state_cut.h"

namespace tw::session {
namespace {

/// The row of the model that computes what that row of the other one does; -1: none.
int same_kernel(LoadedModel const& model, LoadedModel const& other, int row) {
  KernelTask const& wanted = other.kernel(row);
  auto const& kernels = model.plan.kernels;
  auto found = std::ranges::find_if(kernels, [&](KernelTask const& task) {
    return task.name == wanted.name && task.hash == wanted.hash;
  });
  return found == kernels.end() ? -1 : int(found - kernels.begin());
}

/// Where each row runs, by the place's number; -1: at several, and nobody knows which time is of
/// which.
std::map<int, int> places_of_rows(State const& state) {
  std::map<int, int> places;
  auto several = cut_plan(state.model->after, state.model->plan, cut_of(state));
  if (!several) return places;
  for (PlanStep const& step : several->steps) {
    if (step.kind != StepKind::kKernel) continue;
    auto [place, is_new] = places.try_emplace(step.kernel, step.place);
    if (!is_new && place->second != step.place) place->second = -1;
  }
  return places;
}

/// A time of the device in use names none.
std::vector<std::string> device_names_of(State const& state) {
  std::vector<std::string> names = cut_of(state).places;
  names.front().clear();
  return names;
}

void take_time(KernelRow const& from, KernelRow& row) {
  row.time_ms = from.time_ms;
  row.disturbed = from.disturbed;
  row.device = from.device;
  row.roof = from.roof;
  row.fraction_of_roof = from.fraction_of_roof;
}

}  // namespace

MeasuredTable measured_table(State const& state) {
  return {state.model, state.table, state.timed_scripts, state.timed_alone};
}

void keep_times(State& state, MeasuredTable const& before) {
  if (!before.table || !before.model || !state.model) return;
  auto table = std::make_shared<KernelTable>(*state.table);
  std::map<int, int> places = places_of_rows(state);
  std::vector<std::string> devices = device_names_of(state);
  for (int was = 0; was < int(before.table->rows.size()); ++was) {
    KernelRow const& from = before.table->rows[size_t(was)];
    if (!from.time_ms) continue;
    int row = same_kernel(*state.model, *before.model, was);
    auto place = places.find(row);
    // Kernels that are no step of the model (the user's own, those of branches) run on the device
    // in use.
    int at = place == places.end() ? 0 : place->second;
    if (row < 0 || at < 0 || devices[size_t(at)] != from.device) continue;
    take_time(from, table->rows[size_t(row)]);
    if (auto script = before.timed_scripts.find(was); script != before.timed_scripts.end())
      state.timed_scripts[row] = script->second;
    if (before.timed_alone.contains(was)) state.timed_alone.insert(row);
  }
  state.table = std::move(table);
}

}  // namespace tw::session
