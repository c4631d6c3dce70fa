// What a step would do while it is only pointed at: legal or why not, and what memories would hold.
#include <algorithm>
#include <span>

#include "engine/schedule/macros/expansion.h"
#include "engine/session/parts/parts.h"
#include "engine/session/views/memory_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/session/views/script_views.h"
#include "engine/target/memory_parts.h"

namespace tw::session {
namespace {

constexpr char kOverflow[] = "scope_overflow";

/// Null: all of the steps are legal, one after the other.
std::shared_ptr<RefusalView const> refusal_of(Schedule schedule, std::span<Step const> steps,
                                              std::string const& line, MacroSet const* macros) {
  auto refused = [&](Schedule const& at, Refusal const& refusal) {
    return std::make_shared<RefusalView const>(refusal_view(at.program(), refusal, line));
  };
  for (Step const& step : steps.first(steps.size() - 1)) {
    auto next = session::taken(schedule, step, macros);
    if (!next) return refused(schedule, next.error());
    schedule = std::move(*next);
  }
  if (macros && macros->find(steps.back().primitive)) {
    auto last = session::taken(schedule, steps.back(), macros);
    return last ? nullptr : refused(schedule, last.error());
  }
  auto proof = schedule.check(steps.back(), ProofBudget::kInteractive);
  return proof ? nullptr : refused(schedule, proof.error());
}

/// The steps are taken as if memories had no end; of a line that is refused
/// for them up to the first step after which one is too full.
std::vector<MemoryForecast> forecast(Schedule const& now, std::span<Step const> steps, bool refused,
                                     MacroSet const* macros) {
  if (!has_limited_memories(now.target())) return {};
  Schedule next(now.program(), without_capacities(now.target()));
  std::vector<MemoryForecast> memories;
  for (Step const& step : steps) {
    auto taken = session::taken(next, step, macros);
    if (!taken) return {};
    next = std::move(*taken);
    memories = memory_forecast(next.program(), now.target());
    if (refused && std::ranges::any_of(memories, &MemoryForecast::overflows)) break;
  }
  return memories;
}

}  // namespace

StepPreview Session::preview(std::string const& line) const {
  MacroSet const* macros = parts_->options.macros.get();
  auto steps = parse_steps(line, macros);
  StateCell::Pointer state = parts_->cell.read();
  if (!state->has_kernel()) return {};
  if (!steps)
    return {std::make_shared<RefusalView const>(unreadable_line(line, steps.error())), {}};
  Schedule const& now = state->now().history.schedule();
  StepPreview preview{refusal_of(now, *steps, line, macros), {}};
  bool refused = bool(preview.refusal);
  if (!refused || preview.refusal->code == kOverflow)
    preview.memories = forecast(now, *steps, refused, macros);
  return preview;
}

std::shared_ptr<RefusalView const> Session::why_not(std::string const& line) const {
  MacroSet const* macros = parts_->options.macros.get();
  auto steps = parse_steps(line, macros);
  StateCell::Pointer state = parts_->cell.read();
  if (!state->has_kernel()) return nullptr;
  if (!steps) return std::make_shared<RefusalView const>(unreadable_line(line, steps.error()));
  return refusal_of(state->now().history.schedule(), *steps, line, macros);
}

}  // namespace tw::session
