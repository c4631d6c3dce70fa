/// Handles that own what they name on a device: it is freed when the value goes, however that
/// comes about. The device must outlive them.
#pragma once

#include <utility>

#include "engine/device/device.h"

namespace tw {

template <typename Handle>
class ScopedHandle {
public:
  ScopedHandle() = default;
  ScopedHandle(Device& device, Handle handle) : device_(&device), handle_(std::move(handle)) {}
  ScopedHandle(ScopedHandle&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), handle_(std::exchange(other.handle_, {})) {}
  ScopedHandle& operator=(ScopedHandle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~ScopedHandle() { reset(); }

  Handle const& get() const { return handle_; }
  explicit operator bool() const { return device_ != nullptr; }
  void reset() {
    // A device that is gone has nothing left to free.
    if (device_ != nullptr) (void)device_->free(handle_);
    device_ = nullptr;
    handle_ = {};
  }

private:
  Device* device_ = nullptr;
  Handle handle_;
};

using ScopedTensor = ScopedHandle<TensorHandle>;
using ScopedLibrary = ScopedHandle<LibraryHandle>;

/// As those of Device, with the same errors.
Result<ScopedTensor> allocate_scoped(Device& device, int64_t bytes, CallOptions const& options);
Result<ScopedTensor> put_scoped(Device& device, NDArray const& array, CallOptions const& options);
Result<ScopedLibrary> load_scoped(Device& device, std::span<std::byte const> library,
                                  CallOptions const& options);

}  // namespace tw
