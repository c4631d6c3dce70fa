// The scratchpad machine as a device: it interprets the kernels of a library.
#include "engine/device/processor_table.h"
#include "tests/support/interpreting_processor.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw {

using namespace scratchpad;

ProcessorEntry const& processor_scratchpad() {
  static ProcessorEntry const entry{
      .name = kName,
      .detect = []() -> Result<Hardware> {
        return Hardware{.target = kName,
                        .name = "scratchpad machine",
                        .units = {{.name = "unit"}},
                        .memories = {{.name = "memory", .bytes = 64 << 20, .cache = false}}};
      },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<Processor>> {
        return std::make_unique<testing::InterpretingProcessor>(kMagic, most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
