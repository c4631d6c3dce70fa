#include "engine/session/state/state_costs.h"

#include <fmt/format.h>

#include "engine/compile/modelled_time.h"

namespace tw::session {

namespace {

/// Empty: this state of the kernel is modelled, or was refused.
std::optional<ToModel> missing_model(State const& state, int kernel, int id) {
  KernelWork const& work = state.kernels.at(kernel);
  if (work.models.contains(id) || !work.history.node(id).refusal.empty()) return std::nullopt;
  return ToModel{state.model, kernel, id, work.history.node(id).schedule, state.machine->rates};
}

std::optional<ToModel> next_of_current_kernel(State const& state) {
  KernelWork const& work = state.kernels.at(state.kernel);
  for (int id = work.history.current(); id >= 0; id = work.history.node(id).parent)
    if (auto found = missing_model(state, state.kernel, id)) return found;
  if (work.models.size() == work.history.size()) return std::nullopt;
  for (size_t id = work.history.size(); id-- > 0;)
    if (auto found = missing_model(state, state.kernel, int(id))) return found;
  return std::nullopt;
}

}  // namespace

std::optional<ToModel> next_to_model(State const& state) {
  if (!state.machine || !state.machine->rates) return std::nullopt;
  if (state.has_kernel())
    if (auto found = next_of_current_kernel(state)) return found;
  if (!state.model || state.attached) return std::nullopt;
  for (auto const& [kernel, work] : state.kernels)
    if (auto found = missing_model(state, kernel, std::max(runs_at(work), 0))) return found;
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

/// For the model that is open and its roofs, or of another one.
bool is_current(RowModels const& known, State const& state) {
  return known.model == state.model && known.rates == state.machine->rates;
}

}  // namespace

std::optional<RowToModel> next_row_to_model(State const& state) {
  if (!state.model || state.attached || !state.machine || !state.machine->rates) return {};
  bool current = is_current(state.row_models, state);
  for (int row = 0; row < int(state.table->rows.size()); ++row)
    if (!state.kernels.contains(row) && !(current && state.row_models.rows.contains(row)))
      return RowToModel{state.model, row, state.backend, state.machine};
  return {};
}

RowModels::One modelled(RowToModel const& what) {
  RowModels::One one;
  auto work = begin_kernel(*what.model, what.row, *what.backend);
  if (!work) return one;
  int node = std::max(work->default_node, 0);
  ir::Program const& program = work->history.node(node).schedule.program();
  one.ms = modelled(program, *what.backend, *what.machine->rates).seconds * 1e3;
  one.roof = roof_view(work->needs, *what.machine, what.machine->threads);
  return one;
}

void keep_row_model(State& state, RowToModel const& what, RowModels::One one) {
  if (state.model != what.model || !state.machine || state.machine->rates != what.machine->rates)
    return;
  if (!is_current(state.row_models, state))
    state.row_models = {state.model, state.machine->rates, {}};
  state.row_models.rows[what.row] = std::move(one);
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
