// Two states of a kernel, or one on two devices, side by side.
#include <fmt/format.h>

#include "engine/session/parts/parts.h"
#include "engine/session/state/state_costs.h"

namespace tw::session {
namespace {

/// Null: both states run on this device.
std::shared_ptr<StateComparison const> refused_comparison(History const& history,
                                                          StateToCompare const& before,
                                                          StateToCompare const& after) {
  for (StateToCompare const* side : {&before, &after})
    if (auto const& why = history.node(side->state.history_node).refusal; !why.empty())
      return std::make_shared<StateComparison const>(StateComparison{
          .before = before.state,
          .after = after.state,
          .summary = fmt::format("{} does not apply on this device: {}", side->state.name, why)});
  return nullptr;
}

std::shared_ptr<StateFacts const> facts(Parts& parts, QueryKeyPtr const& key) {
  return std::static_pointer_cast<StateFacts const>(parts.queues.memo.ask(state_facts_row(), key));
}

}  // namespace

std::shared_ptr<StateComparison const> Session::compare(int before, int after) {
  StateCell::Pointer state = parts_->cell.read();
  if (!state->has_kernel()) return nullptr;
  History const& history = state->now().history;
  if (!history.has(before) || !history.has(after)) return nullptr;
  StateToCompare from = side_of(*state, before), to = side_of(*state, after);
  if (auto comparison = refused_comparison(history, from, to)) return comparison;
  QueryKeyPtr of_before = state_facts_row().key(parts_->seen(*state), &before);
  QueryKeyPtr of_after = state_facts_row().key(parts_->seen(*state), &after);
  RunWork work = work_of(state->model->kernel(state->kernel));
  auto machine = state->machine;
  from.facts = facts(*parts_, of_before);
  to.facts = facts(*parts_, of_after);
  if (!from.facts || !to.facts) return nullptr;
  return std::make_shared<StateComparison const>(
      compare_states(from, to, work, machine ? machine->roofs : std::vector<RoofView>()));
}

std::shared_ptr<StateComparison const> Session::compare_devices(int node, std::string const& before,
                                                                std::string const& after) {
  StateCell::Pointer state = parts_->cell.read();
  if (!state->has_kernel() || !state->now().history.has(node)) return nullptr;
  auto from = side_on(*state, node, before), to = side_on(*state, node, after);
  if (!from || !to) return nullptr;
  QueryKeyPtr key = state_facts_row().key(parts_->seen(*state), &node);
  RunWork work = work_of(state->model->kernel(state->kernel));
  if (key) from->facts = to->facts = facts(*parts_, key);
  return std::make_shared<StateComparison const>(compare_trials(*from, *to, work));
}

}  // namespace tw::session
