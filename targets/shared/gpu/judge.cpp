#include "targets/shared/gpu/judge.h"

#include <vector>

#include "engine/ir/rewrite.h"
#include "engine/support/base/side_by_side.h"

namespace tw::gpu {

std::optional<size_t> Judge::fastest(std::string_view rule, ir::Program const& program,
                                     size_t count, Candidate const& candidate) const {
  if (!model_) return std::nullopt;
  std::pair key(std::string(rule), ir::hash(program.body));
  {
    std::lock_guard lock(mutex_);
    if (auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::vector<std::optional<double>> seconds(count);
  side_by_side(count, [&](size_t i) {
    std::optional<Schedule> schedule = candidate(i);
    if (schedule) seconds[i] = model_(schedule->program());
  });
  std::optional<size_t> fastest;
  for (size_t i = 0; i < count; ++i)
    if (seconds[i] && (!fastest || *seconds[i] < *seconds[*fastest])) fastest = i;
  std::lock_guard lock(mutex_);
  return known_.emplace(key, fastest).first->second;
}

}  // namespace tw::gpu
