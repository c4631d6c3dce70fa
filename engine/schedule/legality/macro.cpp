#include "engine/schedule/legality/macro.h"

#include "engine/schedule/schedule.h"

namespace tw {
namespace {

/// Where loops are after a step, given where they were before it.
void follow(CursorMap& cursors, CursorMap const& step) {
  for (auto& [from, now] : cursors) {
    std::vector<ir::LoopId> next;
    for (ir::LoopId id : now) {
      auto moved = step.find(id);
      if (moved == step.end())
        next.push_back(id);
      else
        next.insert(next.end(), moved->second.begin(), moved->second.end());
    }
    now = std::move(next);
  }
  for (auto const& [from, to] : step) cursors.try_emplace(from, to);
}

}  // namespace

std::expected<Applied, Refusal> run_steps(ir::Program const& program,
                                          std::vector<Step> const& steps) {
  Applied applied{program, {}, {}};
  Schedule schedule(program);
  for (Step const& step : steps) {
    auto next = schedule.apply(step);
    if (!next) return std::unexpected(next.error());
    schedule = std::move(*next);
    follow(applied.cursors, schedule.last_cursors());
  }
  applied.program = schedule.program();
  return applied;
}

}  // namespace tw
