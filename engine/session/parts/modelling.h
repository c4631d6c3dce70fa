/// Every state of the current kernel gets its modelled time, on a thread of its own; on a device
/// that is only described, the model's other kernels do, too.
#pragma once

#include "engine/session/state/guarded.h"
#include "engine/support/base/job.h"

namespace tw::session {

struct Parts;

class Modelling {
public:
  explicit Modelling(Parts& parts) : parts_(parts) {}
  /// One job at a time goes through all states that have no model yet; new ones it finds by itself.
  void start();

private:
  void model_states(StopToken stop);

  Parts& parts_;
  Guarded<bool> goes_on_;
};

}  // namespace tw::session
