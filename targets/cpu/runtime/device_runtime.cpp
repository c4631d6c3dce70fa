// The row of a device's table of processors.
#include "engine/device/device_runtime_table.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/cpu/hardware/tiles.h"
#include "targets/cpu/runtime/cpu_processor.h"

namespace tw {

DeviceRuntimeEntry const& device_runtime_cpu() {
  static DeviceRuntimeEntry const entry{
      .name = kCpuTarget,
      .detect = []() -> Result<Hardware> { return detect_host(); },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
        may_use_tiles();  // what was detected, maybe by another process, is used in this one
        return create_cpu_processor(most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
