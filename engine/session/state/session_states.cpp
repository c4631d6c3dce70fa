#include "engine/session/state/session_impl.h"

#include <fmt/format.h>

#include <chrono>

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

}  // namespace

std::shared_ptr<StateFacts const> SessionImpl::facts(QueryKeyPtr const& key) {
  return std::static_pointer_cast<StateFacts const>(memo_.ask(state_facts_row(), key));
}

std::shared_ptr<StateComparison const> SessionImpl::compare(int before, int after) {
  std::unique_lock lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History const& history = state_.now().history;
  if (!history.has(before) || !history.has(after)) return nullptr;
  StateToCompare from = side_of(state_, before), to = side_of(state_, after);
  if (auto comparison = refused_comparison(history, from, to)) return comparison;
  QueryKeyPtr of_before = state_facts_row().key(seen(), &before);
  QueryKeyPtr of_after = state_facts_row().key(seen(), &after);
  RunWork work = work_of(state_.model->kernel(state_.kernel));
  auto machine = state_.machine;
  lock.unlock();
  from.facts = facts(of_before);
  to.facts = facts(of_after);
  if (!from.facts || !to.facts) return nullptr;
  return std::make_shared<StateComparison const>(
      compare_states(from, to, work, machine ? machine->roofs : std::vector<RoofView>()));
}

std::shared_ptr<StateComparison const> SessionImpl::compare_devices(int node,
                                                                    std::string const& before,
                                                                    std::string const& after) {
  std::unique_lock lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(node)) return nullptr;
  auto from = side_on(state_, node, before), to = side_on(state_, node, after);
  if (!from || !to) return nullptr;
  QueryKeyPtr key = state_facts_row().key(seen(), &node);
  RunWork work = work_of(state_.model->kernel(state_.kernel));
  lock.unlock();
  if (key) from->facts = to->facts = facts(key);
  return std::make_shared<StateComparison const>(compare_trials(*from, *to, work));
}

/// One job at a time goes through all states that have no model yet; new ones it finds by itself.
void SessionImpl::start_modelling() {
  {
    std::lock_guard lock(mutex_);
    if (modelling_ || !next_to_model(state_)) return;
    modelling_ = true;
  }
  model_jobs_.start("model", "modelling",
                    [this](StopToken stop, Progress const&) { model_states(stop); });
}

void SessionImpl::model_states(StopToken stop) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  auto shown = std::chrono::steady_clock::now();
  while (true) {
    model_jobs_.wait_while_held(stop);
    std::optional<ToModel> next;
    bool current = false;
    {
      std::lock_guard lock(mutex_);
      if (!stop.stop_requested()) next = next_to_model(state_);
      if (!next) {
        modelling_ = false;
        break;
      }
      current = next->node == state_.now().history.current();
    }
    auto model = modelled(next->schedule.program(), *backend(), *next->rates);
    {
      std::lock_guard lock(mutex_);
      keep_model(state_, *next, std::move(model));
    }
    // The state that one looks at is shown at once, the others some at a time.
    if (!current && std::chrono::steady_clock::now() - shown < kPatience) continue;
    publish();
    shown = std::chrono::steady_clock::now();
  }
  publish();
}

std::string SessionImpl::script() const {
  std::lock_guard lock(mutex_);
  return state_.has_kernel() ? state_.kernels.at(state_.kernel).history.schedule().script() : "";
}

std::string SessionImpl::script_of(int node) const {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return "";
  History const& history = state_.kernels.at(state_.kernel).history;
  return history.has(node) ? history.script(node) : "";
}

std::string SessionImpl::save() const {
  std::lock_guard lock(mutex_);
  return state_.model ? to_text(project_of(state_)) : "";
}

bool SessionImpl::wait_idle(double seconds) {
  // A job may begin one on another thread: all are idle when none was busy in a whole round.
  return jobs_.wait_idle(seconds) && errands_.wait_idle(seconds) &&
         model_jobs_.wait_idle(seconds) && memo_.wait_idle(seconds) && tuner_rests(seconds) &&
         jobs_.wait_idle(seconds) && memo_.wait_idle(seconds);
}

void SessionImpl::set_listener(Listener listener) {
  std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

Snapshot SessionImpl::snapshot() const {
  std::optional<JobView> job = errands_.current();
  if (!job) job = jobs_.current();
  std::lock_guard lock(mutex_);
  Snapshot copy = published_;
  copy.version = news_;
  if (job) copy.job = std::make_shared<JobView const>(*job);
  return copy;
}

bool SessionImpl::measures_in_background() const {
  std::lock_guard lock(mutex_);
  return background_.on;
}

}  // namespace tw::session
