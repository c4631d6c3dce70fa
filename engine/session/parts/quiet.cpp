#include "engine/session/parts/quiet.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/session/parts/parts.h"
#include "engine/session/use_cases.h"

namespace tw::session {
namespace {

constexpr int kMostAgain = 8;  // states of the kernel that is looked at
constexpr double kLongestWait = 60;

/// The current state first, then the schedule by rule, then the others.
std::vector<int> disturbed_nodes(State const& state) {
  std::vector<int> nodes;
  if (!state.has_kernel()) return nodes;
  KernelWork const& work = state.now();
  auto add = [&](int id) {
    if (id < 0 || nodes.size() == kMostAgain || std::ranges::find(nodes, id) != nodes.end()) return;
    auto const& measured = work.history.node(id).on(state.here).measured;
    if (measured && measured->disturbed) nodes.push_back(id);
  };
  add(work.history.current());
  add(work.default_node);
  for (size_t id = 0; id < work.history.size(); ++id) add(int(id));
  return nodes;
}

bool roofs_are_doubtful(State const& state) {
  return state.machine && state.machine->roofs_doubtful;
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

void Quiet::wait() {
  if (parts_.options.patience_seconds <= 0) return;
  parts_.queues.patience.start("quiet", "waiting until the machine is idle",
                               [this](StopToken stop, Progress const&) { wait_and_measure(stop); });
}

void Quiet::wait_and_measure(StopToken stop) {
  double wait = parts_.options.patience_seconds;
  for (; sleep_for(wait, stop); wait = std::min(2 * wait, kLongestWait)) {
    StateCell::Pointer state = parts_.cell.read();
    if (!roofs_are_doubtful(*state) && disturbed_nodes(*state).empty()) return;
    if (parts_.queues.rest())
      parts_.queues.main.start("again", "repeating measurements disturbed by other programs",
                               [this](StopToken stopped, Progress const& progress) {
                                 measure_again(stopped, progress);
                               });
  }
}

void Quiet::measure_again(StopToken stop, Progress const& progress) {
  MeasureRunner& runner = parts_.measuring.runner();
  if (!runner.is_quiet(stop)) return;
  StateCell::Pointer state = parts_.cell.read();
  if (roofs_are_doubtful(*state)) {
    auto view = machine_view(*state->backend, runner.device(), parts_.options.cache_folder, true,
                             false, stop, progress, runner.title());
    if (view) parts_.roofs.take(std::move(*view));
  }
  state = parts_.cell.read();
  int kernel = state->kernel;
  for (int node : disturbed_nodes(*state)) {
    if (stop.stop_requested()) break;
    auto outcome =
        runner.measure(state->model, kernel, state->now().history.node(node).schedule.program(),
                       CodeTier::kFull, stop);
    bool goes_on = parts_.cell.commit([&](State& now) {
      if (!outcome || now.model != state->model || stop.stop_requested()) return false;
      if (outcome->comparison.equal)
        keep_time(now, now.kernels.at(kernel).history, now.model->kernel(kernel).flops, node,
                  *outcome);
      return true;
    });
    if (!goes_on) break;
  }
  parts_.showing.publish();
}

}  // namespace tw::session
