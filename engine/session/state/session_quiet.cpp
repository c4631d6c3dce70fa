// What was measured while others used the processors is marked, and measured again when they do
// not.
#include <thread>

#include "engine/device/local_device.h"
#include "engine/measure/roofs.h"
#include "engine/session/layers.h"
#include "engine/session/spread_words.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

constexpr int kMostAgain = 8;   // states of the kernel that is looked at
constexpr int kMostDoubts = 2;  // in one session: then the roofs are what they are

/// The current state first, then the schedule by rule, then the others.
std::vector<int> disturbed_nodes(KernelWork const& work, TriedOn const& here) {
  std::vector<int> nodes;
  auto add = [&](int id) {
    if (id < 0 || nodes.size() == kMostAgain || std::ranges::find(nodes, id) != nodes.end()) return;
    auto const& measured = work.history.node(id).on(here).measured;
    if (measured && measured->disturbed) nodes.push_back(id);
  };
  add(work.history.current());
  add(work.default_node);
  for (size_t id = 0; id < work.history.size(); ++id) add(int(id));
  return nodes;
}

/// False: it was stopped.
bool sleep_for(double seconds, StopToken stop) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (stop.stop_requested()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return !stop.stop_requested();
}

}  // namespace

void SessionImpl::keep_time(History& history, int64_t flops, int node,
                            Laboratory::Outcome const& outcome) {
  Samples const& samples = outcome.result.samples;
  double ms = samples.least() * 1e3;
  // Where the roofs were measured while others ran, nobody knows how fast the machine is alone.
  bool disturbed = outcome.disturbed || (state_.machine && state_.machine->roofs_doubtful);
  Measured now{ms, spread_of(samples.seconds), double(flops) / ms / 1e6, disturbed,
               int(samples.seconds.size())};
  auto const& known = history.node(node).on(state_.here).measured;
  if (known && known->min_ms < ms) {
    now = *known;  // the other one was better: a quiet moment now says that it was quiet then
    now.disturbed = now.disturbed && disturbed;
  }
  history = history.with_measured(node, state_.here, now);
}

/// A kernel that is faster than its roof shows that the roof was measured too low.
bool SessionImpl::doubt_roofs_of(int kernel, int node) {
  std::lock_guard lock(mutex_);
  if (!state_.machine || state_.machine->roofs_doubtful || times_doubted_ == kMostDoubts)
    return false;
  if (has_computed_roofs(*state_.machine)) return false;
  KernelWork const& work = state_.kernels.at(kernel);
  auto const& measured = work.history.node(node).on(state_.here).measured;
  auto roof = roof_view(work.needs, *state_.machine, state_.machine->threads);
  if (!measured || !roof || fraction_of(*roof, measured->min_ms)) return false;
  ++times_doubted_;
  doubt_roofs(options_.cache_folder, *state_.machine->hardware);
  MachineView doubted = *state_.machine;
  doubted.roofs_doubtful = true;
  state_.machine = std::make_shared<MachineView const>(std::move(doubted));
  return true;
}

void SessionImpl::take_machine(MachineView view) {
  view.threads = laboratory_->threads();
  if (view.rates)
    laboratory_->know_peak(view.threads > 1 ? view.rates->best("f32").all_cores
                                            : view.rates->best("f32").one_core);
  std::lock_guard lock(mutex_);
  state_.machine = std::make_shared<MachineView const>(std::move(view));
  for (auto& [row, work] : state_.kernels) work.models.clear();
}

/// Waits longer each time; a newer wait takes its place.
void SessionImpl::wait_for_quiet() {
  if (options_.patience_seconds <= 0) return;
  patience_.start(
      "quiet", "waiting until the machine is idle", [this](StopToken stop, Progress const&) {
        double wait = options_.patience_seconds;
        for (; sleep_for(wait, stop); wait = std::min(2 * wait, 60.0)) {
          {
            std::lock_guard lock(mutex_);
            bool doubtful = state_.machine && state_.machine->roofs_doubtful;
            bool times = state_.has_kernel() && !disturbed_nodes(state_.now(), state_.here).empty();
            if (!doubtful && !times) return;
          }
          if (jobs_.idle() && errands_.idle())
            jobs_.start("again", "repeating measurements disturbed by other programs",
                        [this](StopToken stopped, Progress const& progress) {
                          measure_disturbed(stopped, progress);
                        });
        }
      });
}

void SessionImpl::measure_disturbed(StopToken stop, Progress const& progress) {
  if (!laboratory_->is_quiet(stop)) return;
  bool doubtful = false;
  {
    std::lock_guard lock(mutex_);
    doubtful = state_.machine && state_.machine->roofs_doubtful;
  }
  if (doubtful) {
    auto view = machine_view(*backend(), laboratory_->device(), options_.cache_folder, true, false,
                             stop, progress, laboratory_->title());
    if (view) take_machine(std::move(*view));
  }
  Model model;
  int kernel = -1;
  std::vector<int> nodes;
  std::vector<Schedule> schedules;
  {
    std::lock_guard lock(mutex_);
    model = state_.model;
    kernel = state_.kernel;
    if (state_.has_kernel()) nodes = disturbed_nodes(state_.now(), state_.here);
    for (int node : nodes) schedules.push_back(state_.now().history.node(node).schedule);
  }
  for (size_t i = 0; i < nodes.size() && !stop.stop_requested(); ++i) {
    auto outcome =
        laboratory_->measure(model, kernel, schedules[i].program(), CodeTier::kFull, stop);
    std::lock_guard lock(mutex_);
    if (!outcome || state_.model != model || stop.stop_requested()) break;
    if (outcome->comparison.equal)
      keep_time(state_.kernels.at(kernel).history, model->kernel(kernel).flops, nodes[i], *outcome);
  }
  publish();
}

}  // namespace tw::session
