// The row of the table of targets.
#include <fmt/format.h>

#include "engine/backend/target_table.h"
#include "targets/opencl/compiler/known_gpus.h"
#include "targets/opencl/compiler/opencl_backend.h"
#include "targets/opencl/hardware/description.h"

namespace tw {
namespace {

using namespace opencl;

/// "opencl", which any device may be, then "opencl:mali-g72", ...
std::vector<std::string> spellings() {
  std::vector<std::string> names = gpu_text::spellings_of(known_gpus(), kOpenClTarget);
  names.insert(names.begin(), kOpenClTarget);
  return names;
}

Result<Hardware> hardware(std::string const& spelling) {
  if (spelling == kOpenClTarget) return any_device();
  TRY_ASSIGN(gpu_text::Sheet sheet, gpu_text::sheet_named(known_gpus(), spelling));
  return hardware_of(sheet);
}

}  // namespace

TargetEntry const& target_opencl() {
  static TargetEntry const entry{
      .name = kOpenClTarget,
      .spellings = spellings,
      .hardware = hardware,
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
      .described = true,
      // The GPUs that are described are those of phones.
      .beside = [](std::string const& spelling) -> std::string {
        return spelling == kOpenClTarget ? "" : "cpu:aarch64";
      },
      .roofs = gpu_text::roofs_of,
  };
  return entry;
}

}  // namespace tw
