/// What events touch of a memory, as intervals of its elements.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tw::order {

struct Interval {
  int64_t begin = 0, end = 0;
  bool operator==(Interval const&) const = default;
};
using Intervals = std::vector<Interval>;  ///< sorted, apart

/// Empty sets are null.
using IntervalSet = std::shared_ptr<Intervals const>;

/// Of one event in one memory.
struct Footprint {
  IntervalSet reads, writes;
};

}  // namespace tw::order
