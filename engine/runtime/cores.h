/// Which cores the threads of this process stay on.
#pragma once

#include <vector>

namespace tw {

/// The cores this process may use, in order.
std::vector<int> usable_cores();

/// Cores for the threads of one pool: those that fewest pools of this process have, so that two
/// pools do not sit on the same ones while others are free. Given back when it goes away.
class CoreLease {
public:
  /// None for a thread alone, and where there are more threads than cores that may be used: they
  /// float then.
  explicit CoreLease(int threads);
  CoreLease(CoreLease const&) = delete;
  CoreLease& operator=(CoreLease const&) = delete;
  ~CoreLease();

  /// One per thread, the caller's first; or empty.
  std::vector<int> const& cores() const { return cores_; }

private:
  std::vector<int> cores_;
};

}  // namespace tw
