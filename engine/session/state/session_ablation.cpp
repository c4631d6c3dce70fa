// What carries the gain of a schedule: a job that times it without each of its parts.
#include <fmt/format.h>

#include "engine/session/state/ablated.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {

Status SessionImpl::run(AblateStep const& c) {
  Ablated what;
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    History const& history = state_.now().history;
    if (!history.has(c.history_node)) return bad_input("unknown_node", "there is no such step");
    HistoryNode const& node = history.node(c.history_node);
    if (!node.refusal.empty())
      return bad_input("refused_here", "this device refuses a step before: " + node.refusal);
    what = {0, state_.model, state_.kernel, fmt::format("step {}, {}", node.id, node.label),
            node.schedule.script()};
    if (node.schedule.trace().empty())
      return bad_input("nothing_to_leave_out",
                       "the unscheduled loop nest has no steps to leave out");
    // Opened from a trial, it is a point of the template still.
    for (auto const& run : state_.runs)
      for (auto const& trial : run->trials)
        if (run->row == what.row && run->from == 0 && trial->script == what.script)
          what.point = {trial->knobs.begin(), trial->knobs.end()};
  }
  return start_ablation(std::move(what));
}

Status SessionImpl::run(AblateTrial const& c) {
  Ablated what;
  {
    std::lock_guard lock(mutex_);
    TRY(check_tuned());
    TuningView view{state_.runs, {}, {}};
    TuningRun const* of = view.run(c.run);
    TuningTrial const* trial = of ? of->trial(c.trial) : nullptr;
    if (!trial) return bad_input("no_trial", fmt::format("there is no trial {}", c.trial));
    if (trial->ms <= 0)
      return bad_input("no_time",
                       fmt::format("trial {} has no time: {}", c.trial, trial->sentence));
    what = {0, state_.model, of->row,
            fmt::format("trial {} of the {} search", trial->number, of->search), trial->script};
    if (of->from == 0) what.point = {trial->knobs.begin(), trial->knobs.end()};
    if (of->from == 0 && trial->knobs.empty())
      return bad_input("nothing_to_leave_out",
                       "this trial is the default schedule: every knob has its default");
  }
  return start_ablation(std::move(what));
}

Status SessionImpl::start_ablation(Ablated what) {
  {
    std::lock_guard lock(mutex_);
    AblationView view;
    view.number = what.number = ++ablations_;
    view.row = what.row;
    view.kernel = what.model->kernel(what.row).name;
    view.title = what.title;
    view.of_choices = !what.point.empty();
    state_.ablation = std::make_shared<AblationView const>(std::move(view));
  }
  jobs_.start("ablate", "measuring contributions",
              [this, what](StopToken stop, Progress const& progress) {
                Status done = ablated(what, stop, progress);
                change_ablation(what, [&](AblationView& view) {
                  view.goes_on = false;
                  if (stop.stop_requested())
                    view.error = "stopped";
                  else if (!done)
                    view.error = to_sentence(done.error());
                });
              });
  return {};
}

void SessionImpl::stop_ablation() {
  jobs_.cancel("ablate");
  std::lock_guard lock(mutex_);
  if (!state_.ablation || !state_.ablation->goes_on) return;
  auto next = std::make_shared<AblationView>(*state_.ablation);
  next->goes_on = false;
  next->error = "stopped";
  state_.ablation = std::move(next);
}

void SessionImpl::change_ablation(Ablated const& what,
                                  std::function<void(AblationView&)> const& change) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.ablation || state_.ablation->number != what.number) return;
    auto next = std::make_shared<AblationView>(*state_.ablation);
    change(*next);
    state_.ablation = std::move(next);
  }
  publish_tuning();
}

/// On the job thread.
Status SessionImpl::ablated(Ablated const& what, StopToken stop, Progress const& progress) {
  auto backend = this->backend();
  AblationOptions options{.threads = laboratory_->threads(), .stop = stop, .progress = progress};
  TRY_ASSIGN(ir::Program plain, plain_program(*what.model, what.row));
  auto show = [&](std::vector<AblatedPart> parts, double seconds = 0, double rule_seconds = 0) {
    fill_shares(parts);
    change_ablation(what, [&](AblationView& view) {
      view.parts = std::move(parts);
      if (seconds > 0) view.ms = seconds * 1e3;
      if (rule_seconds > 0) view.default_ms = rule_seconds * 1e3;
    });
  };
  auto of_choices = [&](KernelBench& bench, te::Expected const& expected) -> Status {
    Space space(plain, backend, {}, {}, options.threads);
    TRY_ASSIGN(std::vector<SetBack> knobs, set_backs(space, what.point));
    show(parts_of(knobs));
    TRY_ASSIGN(tw::Ablation found, ablate(space, bench, expected, what.point, options));
    show(parts_of(found.knobs), found.tuned_seconds, found.rule_seconds);
    return {};
  };
  auto of_steps = [&](KernelBench& bench, te::Expected const& expected) -> Status {
    TRY_ASSIGN(Schedule whole, schedule_of(plain, &what.script, *backend));
    TRY_ASSIGN(std::vector<LeftOut> steps, left_out(whole, backend->shared_target(), stop));
    show(parts_of(steps));
    TRY_ASSIGN(StepAblation found, ablate(whole, steps, *backend, bench, expected, options));
    show(parts_of(found.steps), found.seconds, found.rule_seconds);
    return {};
  };
  Laboratory::OnBench work = of_steps;
  if (!what.point.empty()) work = of_choices;
  return laboratory_->on_bench(what.model, what.row, work, stop, progress);
}

}  // namespace tw::session
