// Stars, names and baselines of states; kernels side by side.
#include "engine/session/marks.h"
#include "engine/session/state/session_impl.h"
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

Status SessionImpl::change_mark(int node, std::function<History(History const&)> const& to) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(node))
    return bad_input("unknown_node", "there is no such step");
  state_.now().history = to(state_.now().history);
  return {};
}

Status SessionImpl::run(TagState const& c) {
  return change_mark(c.history_node,
                     [&](History const& h) { return h.with_tag(c.history_node, !c.off); });
}

Status SessionImpl::run(NameState const& c) {
  return change_mark(c.history_node,
                     [&](History const& h) { return h.with_name(c.history_node, c.name); });
}

Status SessionImpl::run(SetBaseline const& c) {
  return change_mark(c.history_node,
                     [&](History const& h) { return h.with_baseline(c.history_node); });
}

Status SessionImpl::run(ClearBaseline const&) {
  return change_mark(0, [](History const& h) { return h.with_baseline(-1); });
}

std::shared_ptr<Marks const> SessionImpl::marks() const {
  auto marks = std::make_shared<Marks>();
  std::lock_guard lock(mutex_);
  if (!state_.model) return marks;
  for (auto const& [row, work] : state_.kernels)
    if (work.history.baseline() >= 0) marks->kernels.push_back(to_baseline(state_, row, work));
  if (!state_.has_kernel()) return marks;
  History const& history = state_.kernels.at(state_.kernel).history;
  marks->baseline = history.baseline();
  if (marks->baseline >= 0 && state_.machine && state_.machine->rates)
    marks->baseline_point = point_of(state_, state_.kernel, marks->baseline);
  for (int id = 0; id < int(history.size()); ++id) {
    HistoryNode const& node = history.node(id);
    if (node.tagged || !node.name.empty()) marks->states[id] = {node.tagged, node.name};
  }
  return marks;
}

std::vector<KernelDifference> SessionImpl::kernels_on(std::string const& before,
                                                      std::string const& after) const {
  std::vector<KernelDifference> list;
  std::lock_guard lock(mutex_);
  for (auto const& [row, work] : state_.kernels) {
    KernelRow const& known = state_.table->rows[size_t(row)];
    KernelDifference one{row, known.name, known.count, before, after, {}, {}};
    HistoryNode const& node = work.history.node(std::max(runs_at(work), 0));
    for (auto const& [where, trial] : node.trials) {
      if (!trial.measured) continue;
      if (name_of(where, state_.here) == before) one.before_ms = trial.measured->min_ms;
      if (name_of(where, state_.here) == after) one.after_ms = trial.measured->min_ms;
    }
    if (one.speedup()) list.push_back(std::move(one));
  }
  return list;
}

}  // namespace tw::session
