#include "engine/session/state/state_costs.h"

#include <fmt/format.h>

#include "engine/compile/modelled_time.h"

namespace tw::session {

std::optional<ToModel> next_to_model(State const& state) {
  if (!state.has_kernel() || !state.machine || !state.machine->rates) return std::nullopt;
  KernelWork const& work = state.kernels.at(state.kernel);
  auto missing = [&](int id) -> std::optional<ToModel> {
    if (work.models.contains(id) || !work.history.node(id).refusal.empty()) return std::nullopt;
    return ToModel{state.model, state.kernel, id, work.history.node(id).schedule,
                   state.machine->rates};
  };
  for (int id = work.history.current(); id >= 0; id = work.history.node(id).parent)
    if (auto found = missing(id)) return found;
  if (work.models.size() == work.history.size()) return std::nullopt;
  for (size_t id = work.history.size(); id-- > 0;)
    if (auto found = missing(int(id))) return found;
  return std::nullopt;
}

analysis::TimeModel modelled(ir::Program const& program, Backend const& backend,
                             Roofs const& rates) {
  return modelled_time(program, backend, rates).value_or(analysis::TimeModel{});
}

void keep_model(State& state, ToModel const& what, analysis::TimeModel model) {
  auto work = state.kernels.find(what.kernel);
  bool same = state.model == what.model && work != state.kernels.end() &&
              work->second.history.has(what.node) && state.machine &&
              state.machine->rates == what.rates;
  if (same)
    work->second.models[what.node] = std::make_shared<analysis::TimeModel const>(std::move(model));
}

namespace {

/// A wrong result has no time.
void take_times(StateToCompare& side, Trial const& trial) {
  side.min_ms.reset();
  if (!trial.measured || trial.correctness == Correctness::kWrong) return;
  side.min_ms = trial.measured->min_ms;
  side.spread = trial.measured->spread;
}

}  // namespace

StateToCompare side_of(State const& state, int node) {
  KernelWork const& work = state.kernels.at(state.kernel);
  HistoryNode const& known = work.history.node(node);
  StateToCompare side;
  side.state.history_node = node;
  side.state.name = known.parent < 0 || known.label == "default"
                        ? known.label
                        : fmt::format("{} #{}", known.label, node);
  side.state.script = work.history.script(node);
  take_times(side, known.on(state.here));
  for (auto const& [where, trial] : known.trials)
    if (where != state.here && trial.measured && trial.correctness != Correctness::kWrong)
      side.elsewhere_ms[name_of(where, state.here)] = trial.measured->min_ms;
  return side;
}

std::optional<StateToCompare> side_on(State const& state, int node, std::string const& device) {
  for (auto const& [where, trial] : state.kernels.at(state.kernel).history.node(node).trials) {
    if (name_of(where, state.here) != device) continue;
    StateToCompare side = side_of(state, node);
    side.state.device = device;
    side.state.name += " on " + device;
    side.elsewhere_ms.clear();
    take_times(side, trial);
    return side;
  }
  return std::nullopt;
}

}  // namespace tw::session
