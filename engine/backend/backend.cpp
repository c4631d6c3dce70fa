#include "engine/backend/backend.h"

namespace tw {

Result<Timeline> Backend::timeline(ir::Program const&, StopToken) const {
  return refused("no_simulator", "the target " + target().name + " has no simulator");
}

}  // namespace tw
