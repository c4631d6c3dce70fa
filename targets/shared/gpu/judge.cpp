#include "targets/shared/gpu/judge.h"

#include "engine/ir/rewrite.h"

namespace tw::gpu {

std::optional<size_t> Judge::fastest(std::string_view rule, ir::Program const& program,
                                     size_t count, Candidate const& candidate) const {
  if (!model_) return std::nullopt;
  std::pair key(std::string(rule), ir::hash(program.body));
  {
    std::lock_guard lock(mutex_);
    if (auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::optional<size_t> fastest;
  double least = 0;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Schedule> schedule = candidate(i);
    std::optional<double> seconds = schedule ? model_(schedule->program()) : std::nullopt;
    if (!seconds || (fastest && *seconds >= least)) continue;
    fastest = i;
    least = *seconds;
  }
  std::lock_guard lock(mutex_);
  return known_.emplace(key, fastest).first->second;
}

}  // namespace tw::gpu
