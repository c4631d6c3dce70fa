#include "engine/session/parts/background.h"

#include <algorithm>
#include <thread>

#include "engine/session/model/kernel_roofs.h"
#include "engine/session/parts/parts.h"

namespace tw::session {
namespace {

constexpr char kKind[] = "background";
constexpr auto kIdle = std::chrono::seconds(2);    // after what somebody did last
constexpr auto kAgain = std::chrono::seconds(60);  // after a time that others disturbed
constexpr auto kLook = std::chrono::milliseconds(250);

/// That somebody has looked at, with a schedule by rule.
KernelWork const* looked_at(State const& state, int row) {
  auto known = state.kernels.find(row);
  return known != state.kernels.end() && known->second.default_node >= 0 ? &known->second : nullptr;
}

std::string script_by_rule(KernelWork const& work) {
  return work.history.node(work.default_node).schedule.script();
}

void keep_in_history(State& state, int row, MeasureRunner::Outcome const& outcome) {
  KernelWork& work = state.kernels.at(row);
  int node = work.default_node;
  work.history = work.history.with_correctness(node, state.here, Correctness::kCorrect, "");
  keep_time(state, work.history, state.model->kernel(row).flops, node, outcome);
}

void keep_in_table(State& state, int row, KernelWork const& measured, int threads,
                   MeasureRunner::Outcome const& outcome) {
  double ms = outcome.result.samples.least() * 1e3;
  auto table = std::make_shared<KernelTable>(*state.table);
  KernelRow& entry = table->rows[size_t(row)];
  if (entry.time_ms && *entry.time_ms < ms) ms = *entry.time_ms;
  entry.time_ms = ms;
  entry.disturbed = outcome.disturbed || state.machine->roofs_doubtful;
  entry.roof = roof_view(measured.needs, *state.machine, threads);
  entry.fraction_of_roof = entry.roof ? fraction_of(*entry.roof, ms) : std::nullopt;
  state.timed_alone.insert(row);
  state.table = std::move(table);
}

}  // namespace

void Background::hold(std::chrono::seconds longer) {
  plan_.with([&](Plan& plan) {
    plan.not_before = std::max(plan.not_before, Clock::now() + kIdle + longer);
  });
  parts_.queues.main.cancel(kKind);
}

bool Background::is_on() const {
  return plan_.look([](Plan const& plan) { return plan.on; });
}

void Background::switch_on(bool on) {
  on = on && parts_.options.measure;
  plan_.with([&](Plan& plan) {
    plan.on = on;
    plan.not_before = Clock::now() + kIdle;
  });
  if (!on) return parts_.queues.idle.cancel(kKind);
  parts_.queues.idle.start(kKind, "waiting until nothing else runs",
                           [this](StopToken stop, Progress const&) { watch(stop); });
}

std::vector<int> Background::without_time(Plan const& plan, State const& state) {
  std::vector<int> rows;
  if (!state.model || !state.machine || !state.attached || state.cut_shown) return rows;
  std::shared_ptr<KernelTable const> table = table_with_states(state);
  for (int row = 0; row < int(table->rows.size()); ++row) {
    KernelRow const& known = table->rows[size_t(row)];
    auto tried = plan.tried.find(row);
    if (plan.model != state.model || tried == plan.tried.end()) {
      if (!known.time_ms) rows.push_back(row);
    } else if (known.disturbed && Clock::now() - tried->second > kAgain &&
               state.timed_alone.contains(row)) {
      rows.push_back(row);
    }
  }
  return rows;
}

bool Background::may_begin() {
  StateCell::Pointer state = parts_.cell.read();
  bool tunes = parts_.gate.runs();
  return plan_.with([&](Plan& plan) {
    if (!state->model) plan.model.reset();
    if (Clock::now() < plan.not_before || tunes || without_time(plan, *state).empty()) return false;
    if (plan.model != state->model) plan.tried.clear();
    plan.model = state->model;
    return true;
  });
}

void Background::watch(StopToken stop) {
  for (; !stop.stop_requested(); std::this_thread::sleep_for(kLook))
    if (parts_.queues.rest() && may_begin())
      parts_.queues.main.start(kKind, "measuring other kernels in the background",
                               [this](StopToken stopped, Progress const& progress) {
                                 measure_kernels(stopped, progress);
                               });
}

void Background::measure_kernels(StopToken stop, Progress const& progress) {
  for (int64_t done = 0; !stop.stop_requested(); ++done) {
    StateCell::Pointer state = parts_.cell.read();
    if (parts_.gate.runs()) break;
    std::vector<int> rows = plan_.look([&](Plan const& plan) {
      bool goes_on = plan.on && plan.model == state->model;
      return goes_on ? without_time(plan, *state) : std::vector<int>();
    });
    if (rows.empty()) break;
    if (progress)
      progress({"measuring " + state->model->kernel(rows.front()).name + " in the background", done,
                done + int64_t(rows.size())});
    measure_kernel(state->model, rows.front(), stop);
    parts_.showing.publish();
  }
  beside_.reset();  // and what it has on the device
}

void Background::measure_kernel(Model const& model, int row, StopToken stop) {
  MeasureRunner& used = parts_.measuring.runner();
  if (!beside_ || &beside_->device() != &used.device()) beside_ = used.another();
  auto work = begin_kernel(*model, row, *parts_.cell.read()->backend);
  std::optional<MeasureRunner::Outcome> outcome;
  if (work) {  // without a schedule by rule the model runs the plain nest
    int node = std::max(work->default_node, 0);
    ir::Program const& program = work->history.node(node).schedule.program();
    auto measured = beside_->measure(model, row, program, CodeTier::kFull, stop);
    if (measured && measured->comparison.equal) outcome = std::move(*measured);
  }
  if (stop.stop_requested() || parts_.cell.read()->model != model) return;
  plan_.with([&](Plan& plan) { plan.tried[row] = Clock::now(); });
  if (outcome) keep(model, row, *work, *outcome, stop);  // else it does not run here, or is wrong
}

/// One that somebody has looked at keeps its time in its history, the others in the table.
void Background::keep(Model const& model, int row, KernelWork const& work,
                      MeasureRunner::Outcome const& outcome, StopToken stop) {
  int threads = parts_.measuring.runner().threads();
  parts_.cell.commit([&](State& now) {
    if (stop.stop_requested() || now.model != model || !now.machine) return false;
    KernelWork const* known = looked_at(now, row);
    if (!known || work.default_node < 0)
      keep_in_table(now, row, work, threads, outcome);
    else if (script_by_rule(*known) == script_by_rule(work))
      keep_in_history(now, row, outcome);
    return true;
  });
}

}  // namespace tw::session
