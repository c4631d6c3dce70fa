// Stars, names and baselines of states; kernels side by side.
#include "engine/session/bookmarks.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/state_points.h"

namespace tw::session {
namespace {

std::string words_of(HistoryNode const& node) { return node.name.empty() ? node.label : node.name; }

std::optional<double> time_on(HistoryNode const& node, TriedOn const& where) {
  auto const& measured = node.on(where).measured;
  return measured ? std::optional(measured->min_ms) : std::nullopt;
}

KernelDifference to_baseline(State const& state, int row, KernelWork const& work) {
  HistoryNode const& before = work.history.node(work.history.baseline());
  int runs = std::max(runs_at(work), 0);
  HistoryNode const& after = work.history.node(runs);
  KernelRow const& known = state.table->rows[size_t(row)];
  return {row,
          known.name,
          known.count,
          words_of(before),
          words_of(after),
          time_on(before, state.here),
          time_on(after, state.here)};
}

}  // namespace

std::shared_ptr<Marks const> Session::marks() const {
  auto marks = std::make_shared<Marks>();
  StateCell::Pointer state = parts_->cell.read();
  if (!state->model) return marks;
  for (auto const& [row, work] : state->kernels)
    if (work.history.baseline() >= 0) marks->kernels.push_back(to_baseline(*state, row, work));
  if (!state->has_kernel()) return marks;
  History const& history = state->now().history;
  marks->baseline = history.baseline();
  if (marks->baseline >= 0 && state->machine && state->machine->rates)
    marks->baseline_point = point_of(*state, state->kernel, marks->baseline);
  for (int id = 0; id < int(history.size()); ++id) {
    HistoryNode const& node = history.node(id);
    if (node.tagged || !node.name.empty()) marks->states[id] = {node.tagged, node.name};
  }
  return marks;
}

std::vector<KernelDifference> Session::kernels_on(std::string const& before,
                                                  std::string const& after) const {
  std::vector<KernelDifference> list;
  StateCell::Pointer state = parts_->cell.read();
  for (auto const& [row, work] : state->kernels) {
    KernelRow const& known = state->table->rows[size_t(row)];
    KernelDifference one{row, known.name, known.count, before, after, {}, {}};
    HistoryNode const& node = work.history.node(std::max(runs_at(work), 0));
    for (auto const& [where, trial] : node.trials) {
      if (!trial.measured) continue;
      if (name_of(where, state->here) == before) one.before_ms = trial.measured->min_ms;
      if (name_of(where, state->here) == after) one.after_ms = trial.measured->min_ms;
    }
    if (one.speedup()) list.push_back(std::move(one));
  }
  return list;
}

}  // namespace tw::session
