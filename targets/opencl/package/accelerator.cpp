// The one function of the library that an exported folder has beside its runtime library.
#include "engine/runtime/package/accelerator.h"

#include <cstdlib>

#include "targets/opencl/runtime/devices.h"
#include "targets/opencl/runtime/opencl_processor.h"

namespace tw::opencl {
namespace {

/// Small tensors take more than their bytes.
constexpr int64_t kRounding = int64_t(1) << 20;
/// A part of the name of the device that runs the model, where a machine has several.
constexpr char kDeviceVariable[] = "TILEWRIGHT_OPENCL_DEVICE";

Result<std::unique_ptr<DeviceRuntime>> opened(int64_t bytes) {
  char const* part = std::getenv(kDeviceVariable);
  auto device = find_device(part ? part : "");
  if (device) return create_opencl_processor(*device, bytes + kRounding);
  Error error = device.error();
  error.message = "the model needs an OpenCL device, and " + error.message;
  return std::unexpected(std::move(error));
}

}  // namespace
}  // namespace tw::opencl

extern "C" __attribute__((visibility("default"))) void tw_open_accelerator_3(
    tw::MachineNeeds const&, int64_t bytes, bool /*simulate*/,
    tw::Result<std::unique_ptr<tw::DeviceRuntime>>& opened) {
  opened = tw::opencl::opened(bytes);
}
