/// Questions about factors of a schedule by rule.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/schedule/decisions.h"

namespace tw::gpu {

/// Ascending values without those above `most`.
inline std::vector<int64_t> up_to(std::vector<int64_t> values, int64_t most) {
  std::erase_if(values, [&](int64_t value) { return value > most; });
  return values;
}

/// The rule takes the largest of the ascending values that is no more than it wants, else the
/// least.
inline int64_t choose_up_to(Decisions& decisions, std::string const& name,
                            std::vector<int64_t> const& values, int64_t wanted) {
  return decisions.choose(name, values, up_to(values, std::max(wanted, values.front())).back());
}

}  // namespace tw::gpu
