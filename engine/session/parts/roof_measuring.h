/// What the device in use reaches: measured once, and again when a kernel is faster than that.
#pragma once

#include "engine/session/values.h"
#include "engine/support/base/job.h"

namespace tw::session {

struct Parts;

class RoofMeasuring {
public:
  explicit RoofMeasuring(Parts& parts) : parts_(parts) {}
  /// `again`: those that are kept are not used.
  void start(bool again);

  // On the thread of the main queue.
  /// The state's machine is this; times that were modelled with another one are forgotten.
  void take(MachineView view);
  /// A kernel that is faster than its roof shows that the roof was measured too low: true, if that
  /// is said now.
  bool doubt(int kernel, int node);

private:
  void measure(bool again, StopToken stop, Progress const& progress);

  Parts& parts_;
  int times_doubted_ = 0;
};

}  // namespace tw::session
