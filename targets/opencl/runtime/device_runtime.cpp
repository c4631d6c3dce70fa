// The row of a device's table of processors.
#include "engine/device/device_runtime_table.h"

#include "targets/opencl/hardware/description.h"
#include "targets/opencl/runtime/driver_profile.h"
#include "targets/opencl/runtime/opencl_processor.h"

namespace tw {
namespace {

using namespace tw::opencl;

Result<Hardware> detect_kind(std::string_view part) {
  TRY_ASSIGN(FoundDevice found, find_device(part));
  return std::move(found.hardware);
}

Result<std::unique_ptr<DeviceRuntime>> create(Hardware const& hardware, int64_t most_bytes) {
  TRY_ASSIGN(FoundDevice found, find_device(hardware.name));
  return create_opencl_processor(found, most_bytes);
}

}  // namespace

DeviceRuntimeEntry const& device_runtime_opencl() {
  static DeviceRuntimeEntry const entry{
      .name = kOpenClTarget,
      .detect = []() -> Result<Hardware> { return detect_kind(""); },
      .create = create,
      .detect_kind = detect_kind,
      .driver = &driver_profile(),
  };
  return entry;
}

}  // namespace tw
