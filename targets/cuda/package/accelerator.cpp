// The one function of the library that an exported folder has beside its runtime library.
#include "engine/runtime/package/accelerator.h"

#include <cstdlib>

#include "targets/cuda/runtime/cuda_processor.h"
#include "targets/cuda/runtime/devices.h"

namespace tw::cuda {
namespace {

/// Small tensors take more than their bytes.
constexpr int64_t kRounding = int64_t(1) << 20;
/// A part of the name of the device that runs the model, where a machine has several.
constexpr char kDeviceVariable[] = "TILEWRIGHT_CUDA_DEVICE";

Result<FoundDevice> device_of(Driver const& driver) {
  char const* part = std::getenv(kDeviceVariable);
  return find_device(driver, part ? part : "");
}

Result<std::unique_ptr<DeviceRuntime>> opened(int64_t bytes) {
  auto needs_one = [](Error error) {
    error.message = "the model needs an NVIDIA GPU, and " + error.message;
    return std::unexpected(std::move(error));
  };
  auto found = driver();
  if (!found) return needs_one(found.error());
  auto device = device_of(**found);
  if (!device) return needs_one(device.error());
  return create_cuda_processor(**found, *device, bytes + kRounding);
}

}  // namespace
}  // namespace tw::cuda

extern "C" __attribute__((visibility("default"))) void tw_open_accelerator_3(
    tw::MachineNeeds const&, int64_t bytes, bool /*simulate*/,
    tw::Result<std::unique_ptr<tw::DeviceRuntime>>& opened) {
  opened = tw::cuda::opened(bytes);
}
