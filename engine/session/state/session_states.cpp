#include "engine/session/state/session_impl.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/session/state/state_costs.h"

namespace tw::session {
namespace {

constexpr size_t kMostTexts = 400;

}  // namespace

std::shared_ptr<CodeText const> SessionImpl::code(std::string const& stage, bool against_parent) {
  int node = -1, against = -1;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return nullptr;
    History const& history = state_.now().history;
    node = history.current();
    if (against_parent) against = history.node(node).parent;
  }
  return code_of(node, stage, against);
}

std::shared_ptr<CodeText const> SessionImpl::code_of(int node, std::string const& stage,
                                                     int against) {
  std::unique_lock lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(node)) return nullptr;
  History const& history = state_.now().history;
  if (std::string const& why = history.node(node).refusal; !why.empty()) {
    CodeText none{.stage = stage, .failure = why};
    return std::make_shared<CodeText const>(std::move(none));
  }
  ir::Program program = history.node(node).schedule.program();
  std::optional<ir::Program> before;
  if (history.has(against) && stage != kExpressionStage)
    before = history.node(against).schedule.program();
  uint64_t hash = ir::hash(program);
  std::string key = before ? fmt::format("{} against {:x}", stage, ir::hash(*before)) : stage;
  if (auto found = texts_.find({hash, key}); found != texts_.end()) return found->second;
  te::Kernel kernel = state_.model->kernel(state_.kernel).kernel;
  // What the code view shows is wanted again and again; what a comparison asks for waits beside it.
  std::string kind = node == history.current() ? stage : fmt::format("{} of {}", stage, node);
  lock.unlock();
  // Remarks take an optimizer's time: no other text waits for them.
  Jobs& jobs = stage == kRemarksStage ? report_jobs_ : code_jobs_;
  jobs.start(kind, "lowering",
             [this, backend = backend(), program, before, kernel, stage, hash, key](
                 StopToken stop, Progress const&) {
               std::shared_ptr<CodeText const> text = plain_text(backend, program, kernel, stage);
               if (before) {
                 // What was given up is no difference: it is made when it is asked for again.
                 if (stop.stop_requested()) return;
                 // It was on screen before the step, most often.
                 auto other = plain_text(backend, *before, kernel, stage);
                 auto changed = std::make_shared<CodeText>(with_changes(*text, *other));
                 changed->program_hash = hash;
                 text = changed;
               }
               {
                 std::lock_guard guard(mutex_);
                 keep_text(backend, hash, key, text);
               }
               notify();
             });
  return nullptr;
}

/// Made once for a program and a stage, whatever it is compared with.
std::shared_ptr<CodeText const> SessionImpl::plain_text(
    std::shared_ptr<Backend const> const& backend, ir::Program const& program,
    te::Kernel const& kernel, std::string const& stage) {
  std::pair<uint64_t, std::string> place{ir::hash(program), stage};
  {
    std::lock_guard guard(mutex_);
    auto found = texts_.find(place);
    if (found != texts_.end() && this->backend() == backend) return found->second;
  }
  auto text = std::make_shared<CodeText>(code_text(program, kernel, stage, *backend));
  text->program_hash = place.first;
  std::lock_guard guard(mutex_);
  if (texts_.size() > kMostTexts) texts_.clear();
  keep_text(backend, place.first, stage, text);
  return text;
}

void SessionImpl::keep_text(std::shared_ptr<Backend const> const& backend, uint64_t hash,
                            std::string const& key, std::shared_ptr<CodeText const> text) {
  if (this->backend() == backend) texts_[{hash, key}] = std::move(text);
}

std::shared_ptr<CodePair const> SessionImpl::code_pair(int before, int after,
                                                       std::string const& stage) {
  auto first = code_of(before, stage, -1), second = code_of(after, stage, -1);
  if (!first || !second) return nullptr;
  std::lock_guard lock(mutex_);
  if (pair_.first != first || pair_.second != second)
    pair_ = {first, second, std::make_shared<CodePair const>(side_by_side(*first, *second))};
  return pair_.both;
}

std::shared_ptr<StateComparison const> SessionImpl::compare(int before, int after) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History const& history = state_.now().history;
  if (!history.has(before) || !history.has(after)) return nullptr;
  StateToCompare from = side_of(state_, before), to = side_of(state_, after);
  for (StateToCompare const* side : {&from, &to})
    if (auto const& why = history.node(side->state.history_node).refusal; !why.empty())
      return std::make_shared<StateComparison const>(StateComparison{
          .before = from.state,
          .after = to.state,
          .summary = fmt::format("{} does not apply on this device: {}", side->state.name, why)});
  for (StateToCompare const* side : {&from, &to})
    if (!side->facts) want_facts(side->state.history_node);
  if (!from.facts || !to.facts) return nullptr;
  return std::make_shared<StateComparison const>(
      compare_states(from, to, work_of(state_.model->kernel(state_.kernel)),
                     state_.machine ? state_.machine->roofs : std::vector<RoofView>()));
}

std::shared_ptr<StateComparison const> SessionImpl::compare_devices(int node,
                                                                    std::string const& before,
                                                                    std::string const& after) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(node)) return nullptr;
  auto from = side_on(state_, node, before), to = side_on(state_, node, after);
  if (!from || !to) return nullptr;
  if (!from->facts) want_facts(node);
  return std::make_shared<StateComparison const>(
      compare_trials(*from, *to, work_of(state_.model->kernel(state_.kernel))));
}

/// With the mutex held.
void SessionImpl::want_facts(int node) {
  code_jobs_.start(fmt::format("costs of {}", node), "counting",
                   [this, model = state_.model, kernel = state_.kernel, node](
                       StopToken, Progress const&) { find_facts(model, kernel, node); });
}

void SessionImpl::find_facts(Model const& model, int kernel, int node) {
  std::optional<Schedule> schedule;
  std::shared_ptr<MachineView const> machine;
  {
    std::lock_guard lock(mutex_);
    auto work = state_.kernels.find(kernel);
    if (state_.model != model || work == state_.kernels.end() || work->second.facts.contains(node))
      return;
    schedule = work->second.history.node(node).schedule;
    machine = state_.machine;
  }
  auto facts = std::make_shared<StateFacts const>(
      facts_of(schedule->program(), machine ? machine->rates.get() : nullptr,
               machine ? machine->cache_bytes : std::vector<int64_t>(), *backend()));
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model || state_.machine != machine) return;
    state_.kernels.at(kernel).facts[node] = facts;
  }
  notify();
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
  return jobs_.wait_idle(seconds) && errands_.wait_idle(seconds) && code_jobs_.wait_idle(seconds) &&
         model_jobs_.wait_idle(seconds) && ask_jobs_.wait_idle(seconds) &&
         memo_.wait_idle(seconds) && report_jobs_.wait_idle(seconds) && tuner_rests(seconds) &&
         jobs_.wait_idle(seconds) && code_jobs_.wait_idle(seconds);
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
