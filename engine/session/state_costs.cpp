#include "engine/session/state_costs.h"

#include <fmt/format.h>

#include "engine/compile/load_time.h"

namespace tw::session {

std::optional<ToModel> next_to_model(State const& state) {
  if (!state.has_kernel() || !state.machine || !state.machine->rates) return std::nullopt;
  KernelWork const& work = state.kernels.at(state.kernel);
  auto missing = [&](int id) -> std::optional<ToModel> {
    if (work.models.contains(id)) return std::nullopt;
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

analysis::TimeModel modelled(ir::Program const& program, Hardware const& hardware,
                             Roofs const& rates) {
  ir::Program runs = split_load_time(program).at_run;
  return analysis::model_time(runs, analysis::Locality(runs), hardware, rates);
}

void keep_model(State& state, ToModel const& what, analysis::TimeModel model) {
  auto work = state.kernels.find(what.kernel);
  bool same = state.model == what.model && work != state.kernels.end() &&
              work->second.history.has(what.node) && state.machine &&
              state.machine->rates == what.rates;
  if (same)
    work->second.models[what.node] = std::make_shared<analysis::TimeModel const>(std::move(model));
}

StateToCompare side_of(State const& state, int node) {
  KernelWork const& work = state.kernels.at(state.kernel);
  HistoryNode const& known = work.history.node(node);
  StateToCompare side;
  side.state.history_node = node;
  side.state.name = known.parent < 0 || known.label == "default"
                        ? known.label
                        : fmt::format("{} #{}", known.label, node);
  side.state.script = known.schedule.script();
  if (known.measured && known.correctness != Correctness::kWrong) {
    side.min_ms = known.measured->min_ms;
    side.spread = known.measured->spread;
  }
  if (auto found = work.facts.find(node); found != work.facts.end()) side.facts = found->second;
  return side;
}

}  // namespace tw::session
