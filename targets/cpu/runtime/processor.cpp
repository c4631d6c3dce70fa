// The row of a device's table of processors.
#include "engine/device/processor_table.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/cpu/hardware/tiles.h"
#include "targets/cpu/runtime/cpu_processor.h"

namespace tw {

ProcessorEntry const& processor_cpu() {
  static ProcessorEntry const entry{
      .name = kCpuTarget,
      .detect = []() -> Result<Hardware> { return detect_host(); },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<Processor>> {
        may_use_tiles();  // what was detected, maybe by another process, is used in this one
        return create_cpu_processor(most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
