/// What is wrong with a timeline, and which of its lines says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/hardware/timeline.h"

namespace tw {

struct TimelineFault {
  std::string_view word;  ///< that the line begins with: "span"
  size_t index = 0;       ///< among those lines
  std::string sentence;
};
/// None: nothing is wrong.
std::optional<TimelineFault> first_fault(Timeline const& timeline);

}  // namespace tw
