// What a simulated machine does with the states of a kernel: asked for by who shows it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/state/session_impl.h"
#include "engine/session/views/timeline_views.h"

namespace tw::session {
namespace {

std::string job_of(uint64_t program_hash) { return fmt::format("timeline of {:x}", program_hash); }

}  // namespace

std::shared_ptr<SimulatedState const> SessionImpl::timeline(int node) {
  constexpr size_t kMostKept = 6;
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!backend->has_timeline() || !state_.has_kernel()) return nullptr;
  History const& history = state_.now().history;
  if (!history.has(node)) return nullptr;
  if (std::string const& why = history.node(node).refusal; !why.empty())
    return std::make_shared<SimulatedState const>(SimulatedState{{}, {}, {}, why, {}});
  ir::Program program = history.node(node).schedule.program();
  uint64_t hash = ir::hash(program);
  for (Simulated const& one : simulated_)
    if (one.program_hash == hash && one.backend == backend) return one.state;
  // Null until it is there, so that nobody simulates it twice.
  if (simulated_.size() >= kMostKept) {
    simulate_jobs_.cancel(job_of(simulated_.front().program_hash));
    simulated_.erase(simulated_.begin());
  }
  simulated_.push_back({hash, backend, nullptr});
  simulate_jobs_.start(
      job_of(hash), "simulating", [this, program, hash, backend](StopToken stop, Progress const&) {
        auto state =
            std::make_shared<SimulatedState const>(simulated_state(program, *backend, stop));
        {
          std::lock_guard guard(mutex_);
          auto wanted = [&](Simulated const& one) {
            return one.program_hash == hash && one.backend == backend;
          };
          auto found = std::ranges::find_if(simulated_, wanted);
          if (found == simulated_.end()) return;  // others were asked for meanwhile
          if (stop.stop_requested())
            simulated_.erase(found);
          else
            found->state = std::move(state);
        }
        notify();
      });
  return nullptr;
}

}  // namespace tw::session
