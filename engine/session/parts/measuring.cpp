#include "engine/session/parts/measuring.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/kernel_code.h"
#include "engine/session/parts/parts.h"
#include "engine/session/spread_words.h"
#include "engine/session/state/known_devices.h"

namespace tw::session {
namespace {

constexpr double kSlowMs = 50;  // slow code gains nothing from a second look

/// The states of the current kernel that have no time or no verdict, the current one first.
std::vector<int> nodes_to_measure(State const& state) {
  std::vector<int> wanted;
  History const& history = state.now().history;
  for (int id : {history.current(), state.now().default_node, 0}) {
    if (id < 0) continue;
    Trial const& trial = history.node(id).on(state.here);
    bool known = (trial.measured && trial.correctness != Correctness::kUnknown) ||
                 trial.correctness == Correctness::kWrong;
    if (!known && std::ranges::find(wanted, id) == wanted.end()) wanted.push_back(id);
  }
  return wanted;
}

/// Null: it is no more.
KernelWork const* work_with(State const& state, int kernel, int node) {
  auto work = state.kernels.find(kernel);
  bool known = state.model && work != state.kernels.end() && work->second.history.has(node);
  return known ? &work->second : nullptr;
}

History with_verdict(History const& history, int node, TriedOn const& here, Comparison const& c) {
  std::string words =
      fmt::format("largest difference {:.2g}, largest value {:.3g}", c.max_abs_diff, c.max_abs_ref);
  return history.with_correctness(node, here, c.equal ? Correctness::kCorrect : Correctness::kWrong,
                                  words);
}

}  // namespace

void keep_time(State const& state, History& history, int64_t flops, int node,
               MeasureRunner::Outcome const& outcome) {
  Samples const& samples = outcome.result.samples;
  double ms = samples.least() * 1e3;
  // Where the roofs were measured while others ran, nobody knows how fast the machine is alone.
  bool disturbed = outcome.disturbed || (state.machine && state.machine->roofs_doubtful);
  Measured now{ms, spread_of(samples.seconds), double(flops) / ms / 1e6, disturbed,
               int(samples.seconds.size())};
  auto const& known = history.node(node).on(state.here).measured;
  if (known && known->min_ms < ms) {
    now = *known;  // the other one was better: a quiet moment now says that it was quiet then
    now.disturbed = now.disturbed && disturbed;
  }
  history = history.with_measured(node, state.here, now);
}

Measuring::Measuring(Parts& parts) : parts_(parts) { use(this_machine(parts.options)); }

void Measuring::use(ChosenDevice chosen) {
  runner_ = std::make_unique<MeasureRunner>(std::move(chosen), parts_.options.threads);
  runner_->while_timing([this] { return parts_.queues.hold_others(); });
}

void Measuring::start() {
  Jobs& jobs = parts_.queues.main;
  for (char const* kind : {"again", "background"}) jobs.cancel(kind);
  StateCell::Pointer state = parts_.cell.read();
  if (!parts_.options.measure || !state->has_kernel()) return;
  int kernel = state->kernel;
  if (!state->attached) return start_judging(kernel, state->now().history.current());
  std::vector<int> wanted = nodes_to_measure(*state);
  if (wanted.empty())
    jobs.cancel("measure");
  else
    jobs.start("measure", "measuring",
               [this, kernel, wanted](StopToken stop, Progress const& progress) {
                 for (int node : wanted)
                   if (!stop.stop_requested()) measure(kernel, node, stop, progress);
               });
  start_checking(kernel, state->now().history.current());
}

void Measuring::measure(int kernel, int node, StopToken stop, Progress const& progress) {
  StateCell::Pointer state = parts_.cell.read();
  KernelWork const* work = work_with(*state, kernel, node);
  if (!work) return;
  Model model = state->model;
  parts_.cell.commit([&](State& now) { now.measuring = node; });
  parts_.showing.publish();
  Schedule const& schedule = work->history.node(node).schedule;
  if (measure_with(CodeTier::kFast, model, kernel, node, schedule, stop, progress)) {
    parts_.showing.publish();  // the first number is shown while the finer one is made
    measure_with(CodeTier::kFull, model, kernel, node, schedule, stop, progress);
  }
  if (parts_.cell.read()->model != model) return;
  parts_.cell.commit([&](State& now) { now.measuring = -1; });
  if (parts_.roofs.doubt(kernel, node)) parts_.quiet.wait();
  parts_.showing.publish();
}

bool Measuring::measure_with(CodeTier tier, Model const& model, int kernel, int node,
                             Schedule const& schedule, StopToken stop, Progress const& progress) {
  auto outcome = runner_->measure(model, kernel, schedule.program(), tier, stop, progress);
  // On the way to a schedule a target often has no code for a step: that is no failure.
  bool has_code =
      outcome || outcome.error().fault != Fault::kRefused ||
      compile_kernel(schedule.program(), *parts_.cell.read()->backend, tier, stop).has_value();
  bool finer = false, disturbed = false;
  parts_.cell.commit([&](State& now) {
    if (now.model != model) return;
    now.measuring = -1;
    if (stop.stop_requested()) return;
    History& history = now.kernels.at(kernel).history;
    if (!outcome) {
      history = history.with_failure(node, now.here, to_sentence(outcome.error()));
      // What is only there to compare with, such as a plain nest that a target does not run, has
      // its failure in the history.
      if (node == history.current() && has_code) now.error = error_view(outcome.error(), "measure");
      return;
    }
    mend(now, "measure");
    history = with_verdict(history, node, now.here, outcome->comparison);
    if (!outcome->comparison.equal) return;  // a wrong answer has no time
    keep_time(now, history, model->kernel(kernel).flops, node, *outcome);
    disturbed = history.node(node).on(now.here).measured->disturbed;
    finer = tier == CodeTier::kFast && outcome->result.samples.least() * 1e3 <= kSlowMs;
    if (finer) now.measuring = node;
  });
  if (disturbed) parts_.quiet.wait();
  return finer;
}

/// Of a device that is only described: whether there is code at all.
void Measuring::start_judging(int kernel, int node) {
  parts_.queues.main.start(
      "measure", "generating code", [this, kernel, node](StopToken stop, Progress const&) {
        StateCell::Pointer state = parts_.cell.read();
        KernelWork const* work = work_with(*state, kernel, node);
        if (!work) return;
        auto code = compile_kernel(work->history.node(node).schedule.program(), *state->backend,
                                   CodeTier::kFast, stop);
        if (code || code.error().fault != Fault::kRefused || stop.stop_requested()) return;
        parts_.cell.commit([&](State& now) {
          if (now.model != state->model || now.backend != state->backend) return;
          History& history = now.kernels.at(kernel).history;
          if (history.has(node))
            history = history.with_failure(node, now.here, to_sentence(code.error()));
        });
        parts_.showing.publish();
      });
}

/// Behind every measurement, since nobody waits for it; a step taken meanwhile stops it.
void Measuring::start_checking(int kernel, int node) {
  parts_.queues.main.start(
      "check", "checking every access",
      [this, kernel, node](StopToken stop, Progress const&) { check(kernel, node, stop); });
}

void Measuring::check(int kernel, int node, StopToken stop) {
  StateCell::Pointer state = parts_.cell.read();
  KernelWork const* work = work_with(*state, kernel, node);
  if (!work) return;
  HistoryNode const& known = work->history.node(node);
  if (known.on(state->here).correctness != Correctness::kCorrect ||
      work->judged_further.contains(node))
    return;
  Model const& model = state->model;
  ir::Program const& program = known.schedule.program();
  if (!work->checked.contains(node)) {
    auto run = runner_->check(model, kernel, program, stop);
    bool right = keep_check(model, kernel, node, stop, [&](KernelWork& now) {
      now.checked.insert(node);
      now.history = with_checked_run(now.history, node, state->here, run);
    });
    if (!right) return;
  }
  auto further = runner_->judge_further(model, kernel, program, stop);
  keep_check(model, kernel, node, stop, [&](KernelWork& now) {
    now.judged_further.insert(node);
    now.history = with_further_inputs(now.history, node, state->here, further);
  });
}

bool Measuring::keep_check(Model const& model, int kernel, int node, StopToken const& stop,
                           std::function<void(KernelWork&)> const& keep) {
  bool right = false;
  bool kept = parts_.cell.commit([&](State& now) {
    if (now.model != model || stop.stop_requested()) return false;
    KernelWork& work = now.kernels.at(kernel);
    if (!work.history.has(node)) return false;
    keep(work);
    right = work.history.node(node).on(now.here).correctness == Correctness::kCorrect;
    return true;
  });
  if (kept) parts_.showing.publish();
  return right;
}

}  // namespace tw::session
