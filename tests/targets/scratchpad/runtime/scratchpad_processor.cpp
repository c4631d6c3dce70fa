// The scratchpad machine as a device: it interprets the kernels of a library, and
// finds copies that are used before they were waited for.
#include "engine/device/device_runtime_table.h"
#include "tests/support/interpreting_processor.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw {

using namespace scratchpad;

DeviceRuntimeEntry const& device_runtime_scratchpad() {
  static DeviceRuntimeEntry const entry{
      .name = kName,
      .detect = []() -> Result<Hardware> { return hardware(); },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
        static ir::Sharing const shared = sharing();
        return std::make_unique<testing::InterpretingProcessor>(kMagic, most_bytes, &shared);
      },
  };
  return entry;
}

}  // namespace tw
