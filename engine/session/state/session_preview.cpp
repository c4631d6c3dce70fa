// What a step would do while it is only pointed at: legal or why not, and what memories would hold.
#include <algorithm>
#include <span>

#include "engine/schedule/macros/expansion.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/memory_views.h"
#include "engine/session/views/script_views.h"
#include "engine/target/memory_parts.h"

namespace tw::session {
namespace {

constexpr char kOverflow[] = "scope_overflow";

}  // namespace

/// With the mutex held; null: all of the steps are legal, one after the other.
std::shared_ptr<RefusalView const> SessionImpl::refusal_of(std::span<Step const> steps,
                                                           std::string const& line) const {
  auto refused = [&](Schedule const& schedule, Refusal const& refusal) {
    return std::make_shared<RefusalView const>(refusal_view(schedule.program(), refusal, line));
  };
  Schedule schedule = state_.kernels.at(state_.kernel).history.schedule();
  for (Step const& step : steps.first(steps.size() - 1)) {
    auto next = session::taken(schedule, step, options_.macros.get());
    if (!next) return refused(schedule, next.error());
    schedule = std::move(*next);
  }
  if (options_.macros && options_.macros->find(steps.back().primitive)) {
    auto last = session::taken(schedule, steps.back(), options_.macros.get());
    return last ? nullptr : refused(schedule, last.error());
  }
  auto proof = schedule.check(steps.back(), Effort::kInteractive);
  return proof ? nullptr : refused(schedule, proof.error());
}

/// With the mutex held. The steps are taken as if memories had no end; of a line that is refused
/// for them up to the first step after which one is too full.
std::vector<MemoryForecast> SessionImpl::forecast(std::span<Step const> steps, bool refused) const {
  Schedule const now = state_.kernels.at(state_.kernel).history.schedule();
  if (!has_limited_memories(now.target())) return {};
  Schedule next(now.program(), without_capacities(now.target()));
  std::vector<MemoryForecast> memories;
  for (Step const& step : steps) {
    auto taken = session::taken(next, step, options_.macros.get());
    if (!taken) return {};
    next = std::move(*taken);
    memories = memory_forecast(next.program(), now.target());
    if (refused && std::ranges::any_of(memories, &MemoryForecast::overflows)) break;
  }
  return memories;
}

StepPreview SessionImpl::preview(std::string const& line) {
  auto steps = parse_steps(line, options_.macros.get());
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return {};
  if (!steps)
    return {std::make_shared<RefusalView const>(unreadable_line(line, steps.error())), {}};
  StepPreview preview{refusal_of(*steps, line), {}};
  bool refused = bool(preview.refusal);
  if (!refused || preview.refusal->code == kOverflow) preview.memories = forecast(*steps, refused);
  return preview;
}

std::shared_ptr<RefusalView const> SessionImpl::why_not(std::string const& line) {
  auto steps = parse_steps(line, options_.macros.get());
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  if (!steps) return std::make_shared<RefusalView const>(unreadable_line(line, steps.error()));
  return refusal_of(*steps, line);
}

}  // namespace tw::session
