#include "engine/backend/backend.h"

namespace tw {

Result<Timeline> Backend::timeline(ir::Program const&, StopToken) const {
  return refused("no_simulator", "the target " + target().name + " has no simulator");
}

Result<KernelLaunches> Backend::launches(ir::Program const&, bool, StopToken) const {
  return refused("no_launches", "the target " + target().name + " launches no blocks of threads");
}

}  // namespace tw
