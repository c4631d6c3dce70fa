// Kernels that nobody has looked at are measured as they are by rule, one after the other, while
// nothing else runs and nobody acts.
#include <thread>

#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kKind[] = "background";
constexpr auto kIdle = std::chrono::seconds(2);    // after what somebody did last
constexpr auto kAgain = std::chrono::seconds(60);  // after a time that others disturbed
constexpr auto kLook = std::chrono::milliseconds(250);

}  // namespace

void SessionImpl::hold_background(std::chrono::seconds longer) {
  {
    std::lock_guard lock(mutex_);
    background_.not_before = std::max(background_.not_before, Clock::now() + kIdle + longer);
  }
  jobs_.cancel(kKind);
}

Status SessionImpl::run(MeasureInBackground const& c) {
  {
    std::lock_guard lock(mutex_);
    background_.on = !c.off && options_.measure;
    background_.not_before = Clock::now() + kIdle;
    if (!background_.on) return idle_jobs_.cancel(kKind), Status();
  }
  idle_jobs_.start(kKind, "waiting until nothing else runs",
                   [this](StopToken stop, Progress const&) { watch_for_idle(stop); });
  return {};
}

std::vector<int> SessionImpl::kernels_without_time() const {
  std::vector<int> rows;
  if (!state_.model || !state_.machine || state_.cut_shown) return rows;
  std::shared_ptr<KernelTable const> table = table_with_states(state_);
  for (int row = 0; row < int(table->rows.size()); ++row) {
    KernelRow const& known = table->rows[size_t(row)];
    bool other = background_.model != state_.model;
    auto tried = background_.tried.find(row);
    if (other || tried == background_.tried.end()) {
      if (!known.time_ms) rows.push_back(row);
    } else if (known.disturbed && Clock::now() - tried->second > kAgain &&
               state_.timed_alone.contains(row)) {
      rows.push_back(row);
    }
  }
  return rows;
}

void SessionImpl::watch_for_idle(StopToken stop) {
  for (; !stop.stop_requested(); std::this_thread::sleep_for(kLook)) {
    if (!jobs_.idle() || !errands_.idle()) continue;
    {
      std::lock_guard lock(mutex_);
      if (!state_.model) background_.model.reset();
      if (Clock::now() < background_.not_before || tuner_.runs || kernels_without_time().empty())
        continue;
      if (background_.model != state_.model) background_.tried.clear();
      background_.model = state_.model;
    }
    jobs_.start(kKind, "measuring other kernels in the background",
                [this](StopToken stopped, Progress const& progress) {
                  measure_kernels_by_rule(stopped, progress);
                });
  }
}

void SessionImpl::measure_kernels_by_rule(StopToken stop, Progress const& progress) {
  int64_t done = 0;
  while (!stop.stop_requested()) {
    Model model;
    std::vector<int> rows;
    std::string name;
    {
      std::lock_guard lock(mutex_);
      if (!background_.on || tuner_.runs || background_.model != state_.model) break;
      rows = kernels_without_time();
      if (rows.empty()) break;
      model = state_.model;
      name = model->kernel(rows.front()).name;
    }
    if (progress)
      progress({"measuring " + name + " in the background", done, done + int64_t(rows.size())});
    measure_by_rule(model, rows.front(), stop);
    ++done;
    publish();
  }
  beside_.reset();  // and what it has on the device
}

/// One that somebody has looked at keeps its time in its history, the others in the table.
void SessionImpl::measure_by_rule(Model const& model, int row, StopToken stop) {
  if (!beside_ || &beside_->device() != &laboratory_->device()) beside_ = laboratory_->another();
  auto work = begin_kernel(*model, row, *backend());
  std::optional<Laboratory::Outcome> outcome;
  if (work) {  // without a schedule by rule the model runs the plain nest
    int node = std::max(work->default_node, 0);
    ir::Program const& program = work->history.node(node).schedule.program();
    auto measured = beside_->measure(model, row, program, CodeTier::kFull, stop);
    if (measured && measured->comparison.equal) outcome = std::move(*measured);
  }
  std::lock_guard lock(mutex_);
  if (stop.stop_requested() || state_.model != model) return;
  background_.tried[row] = Clock::now();
  if (!outcome) return;  // it cannot run here, or gives a wrong result
  double ms = outcome->result.samples.least() * 1e3;
  bool disturbed = outcome->disturbed || state_.machine->roofs_doubtful;
  if (auto known = state_.kernels.find(row);
      known != state_.kernels.end() && known->second.default_node >= 0 && work->default_node >= 0) {
    History& history = known->second.history;
    int node = known->second.default_node;
    if (history.node(node).schedule.script() ==
        work->history.node(work->default_node).schedule.script()) {
      history = history.with_correctness(node, state_.here, Correctness::kCorrect, "");
      keep_time(history, model->kernel(row).flops, node, *outcome);
    }
    return;
  }
  auto table = std::make_shared<KernelTable>(*state_.table);
  KernelRow& entry = table->rows[size_t(row)];
  if (entry.time_ms && *entry.time_ms < ms) ms = *entry.time_ms;
  entry.time_ms = ms;
  entry.disturbed = disturbed;
  entry.roof = roof_view(work->needs, *state_.machine, laboratory_->threads());
  entry.fraction_of_roof = entry.roof ? fraction_of(*entry.roof, ms) : std::nullopt;
  state_.timed_alone.insert(row);
  state_.table = std::move(table);
}

}  // namespace tw::session
