// The machine of threads as a device: it interprets the kernels of a library, and finds races and
// threads that miss a barrier.
#include "engine/device/device_runtime_table.h"
#include "tests/support/interpreting_processor.h"
#include "tests/support/thread_machine.h"
#include "tests/targets/threads/threads.h"

namespace tw {

using namespace threads;

DeviceRuntimeEntry const& device_runtime_threads() {
  static DeviceRuntimeEntry const entry{
      .name = kName,
      .detect = []() -> Result<Hardware> { return hardware(); },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
        static ir::Sharing const sharing = testing::thread_machine()->sharing();
        return std::make_unique<testing::InterpretingProcessor>(kMagic, most_bytes, &sharing);
      },
  };
  return entry;
}

}  // namespace tw
