// The row of a device's table of processors.
#include "engine/device/device_runtime_table.h"

#include "targets/cuda/hardware/description.h"
#include "targets/cuda/runtime/cuda_processor.h"
#include "targets/cuda/runtime/driver_profile.h"

namespace tw {
namespace {

using namespace tw::cuda;

Result<Hardware> detect_kind(std::string_view part) {
  TRY_ASSIGN(Driver const* opened, driver());
  TRY_ASSIGN(FoundDevice found, find_device(*opened, part));
  return std::move(found.hardware);
}

Result<std::unique_ptr<DeviceRuntime>> create(Hardware const& hardware, int64_t most_bytes) {
  TRY_ASSIGN(Driver const* opened, driver());
  TRY_ASSIGN(FoundDevice found, find_device(*opened, hardware.name));
  return create_cuda_processor(*opened, found, most_bytes);
}

}  // namespace

DeviceRuntimeEntry const& device_runtime_cuda() {
  static DeviceRuntimeEntry const entry{
      .name = kCudaTarget,
      .detect = []() -> Result<Hardware> { return detect_kind(""); },
      .create = create,
      .detect_kind = detect_kind,
      .driver = &driver_profile(),
  };
  return entry;
}

}  // namespace tw
