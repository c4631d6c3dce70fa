// The row of the table of targets.
#include "engine/backend/target_table.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_targets.h"
#include "targets/cpu/hardware/can_run.h"
#include "targets/cpu/hardware/detect.h"

namespace tw {

TargetEntry const& target_cpu() {
  static TargetEntry const entry{
      .name = kCpuTarget,
      .spellings = cpu_target_names,
      .hardware = cpu_target,
      .kind = cpu_kind,
      // Devices of before there were other targets give no name.
      .matches = [](Hardware const& one) { return one.target.empty() || one.target == kCpuTarget; },
      .runs_here = cpu_can_run,
      .create_backend = create_cpu_backend,
  };
  return entry;
}

}  // namespace tw
