#include "engine/moves/draft.h"

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw::moves {

Draft& Draft::step(std::string primitive, std::vector<std::string> targets,
                   std::map<std::string, ArgumentValue> arguments) {
  if (!possible_) return *this;
  Step step{std::move(primitive), std::move(targets), std::move(arguments), {}};
  auto taken = schedule_.apply(step, ProofBudget::kTrusted);
  possible_ = taken.has_value();
  if (!possible_) return *this;
  schedule_ = *std::move(taken);
  steps_.push_back(schedule_.trace().back().step);
  return *this;
}

Draft& Draft::at(std::string primitive, ir::LoopId loop) {
  if (!possible_) return *this;
  return step(std::move(primitive), {reference_of(schedule_.program(), loop)});
}

std::pair<ir::LoopId, ir::LoopId> Draft::split(ir::LoopId loop, int64_t factor) {
  if (!possible_) return {loop, loop};
  int64_t extent = ir::as_int(site_of(schedule_.program(), loop).loop->extent).value_or(0);
  if (extent <= factor) return {loop, loop};
  step("split", {reference_of(schedule_.program(), loop)}, {{"factor", factor}});
  if (!possible_) return {loop, loop};
  std::vector<ir::LoopId> const& parts = schedule_.last_cursors().at(loop);
  return {parts.front(), parts.back()};
}

Draft& Draft::reorder(std::vector<ir::LoopId> const& loops) {
  if (!possible_) return *this;
  std::vector<ir::LoopId> now;
  for (ir::LoopSite const& site : ir::loops_of(schedule_.program().body))
    if (std::ranges::find(loops, site.loop->id) != loops.end()) now.push_back(site.loop->id);
  if (now == loops) return *this;
  std::vector<std::string> names;
  for (ir::LoopId loop : loops) names.push_back(reference_of(schedule_.program(), loop));
  return step("reorder", std::move(names));
}

}  // namespace tw::moves
