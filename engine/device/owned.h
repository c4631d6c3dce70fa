/// Handles that own what they name on a device: it is freed when the value goes, however that
/// comes about. The device must outlive them.
#pragma once

#include <utility>

#include "engine/device/device.h"

namespace tw {

template <typename Handle>
class Owned {
public:
  Owned() = default;
  Owned(Device& device, Handle handle) : device_(&device), handle_(std::move(handle)) {}
  Owned(Owned&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), handle_(std::exchange(other.handle_, {})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }

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

using OwnedTensor = Owned<TensorHandle>;
using OwnedLibrary = Owned<LibraryHandle>;

/// As those of Device, with the same errors.
Result<OwnedTensor> allocate_owned(Device& device, int64_t bytes, CallOptions const& options);
Result<OwnedTensor> put_owned(Device& device, NDArray const& array, CallOptions const& options);
Result<OwnedLibrary> load_owned(Device& device, std::span<std::byte const> library,
                                CallOptions const& options);

}  // namespace tw
