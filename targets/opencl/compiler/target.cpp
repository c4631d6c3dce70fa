// The row of the table of targets.
#include <fmt/format.h>

#include "engine/backend/target_table.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"

namespace tw {

using namespace opencl;

TargetEntry const& target_opencl() {
  static TargetEntry const entry{
      .name = kOpenClTarget,
      .spellings = [] { return std::vector<std::string>{kOpenClTarget}; },
      .hardware = [](std::string const&) -> Result<Hardware> { return any_device(); },
      .kind = [](Hardware const& device) -> std::string {
        auto limits = limits_of(device);
        if (!limits) return {};
        return fmt::format("OpenCL {}, {} threads share {} KiB", device.word(kKind),
                           limits->threads, limits->local_bytes / 1024);
      },
      .matches = [](Hardware const& machine) { return machine.target == kOpenClTarget; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only an OpenCL device runs its code");
      },
      .create_backend = [](Hardware const& machine,
                           std::string) { return create_opencl_backend(machine); },
      .described_by_device = true,
  };
  return entry;
}

}  // namespace tw
