/// What was measured while others used the processors is measured again when they do not.
#pragma once

#include "engine/support/base/job.h"

namespace tw::session {

struct Parts;

class Quiet {
public:
  explicit Quiet(Parts& parts) : parts_(parts) {}
  /// Waits for a quiet moment, longer each time; a newer wait takes its place.
  void wait();

private:
  void wait_and_measure(StopToken stop);
  void measure_again(StopToken stop, Progress const& progress);

  Parts& parts_;
};

}  // namespace tw::session
