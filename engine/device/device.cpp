#include "engine/device/device.h"

#include "engine/device/scoped_handle.h"

namespace tw {

Result<ScopedTensor> allocate_scoped(Device& device, int64_t bytes, CallOptions const& options) {
  TRY_ASSIGN(TensorHandle tensor, device.allocate(bytes, options));
  return ScopedTensor(device, tensor);
}

Result<ScopedTensor> put_scoped(Device& device, NDArray const& array, CallOptions const& options) {
  TRY_ASSIGN(TensorHandle tensor, put_tensor(device, array, options));
  return ScopedTensor(device, tensor);
}

Result<ScopedLibrary> load_scoped(Device& device, std::span<std::byte const> library,
                                  CallOptions const& options) {
  TRY_ASSIGN(LibraryHandle handle, device.load(library, options));
  return ScopedLibrary(device, handle);
}

Result<TensorHandle> put_tensor(Device& device, NDArray const& array, CallOptions const& options) {
  TRY_ASSIGN(TensorHandle tensor, device.allocate(array.byte_size(), options));
  std::span bytes(static_cast<std::byte const*>(array.data()), size_t(array.byte_size()));
  if (Status written = device.write(tensor, 0, bytes, options); !written) {
    (void)device.free(tensor);
    return std::unexpected(written.error());
  }
  return tensor;
}

Result<NDArray> get_tensor(Device& device, TensorHandle const& tensor, DType type, Shape shape,
                           CallOptions const& options) {
  TRY_ASSIGN(int64_t count, element_count(shape));
  if (count > tensor.bytes / size_of(type)) {
    return bad_input("tensor_too_small", "a tensor of " + std::to_string(tensor.bytes) +
                                             " bytes on the device cannot be read as " +
                                             to_text(shape));
  }
  TRY_ASSIGN(NDArray array, NDArray::create(type, std::move(shape)));
  std::span bytes(static_cast<std::byte*>(array.data()), size_t(array.byte_size()));
  TRY(device.read(tensor, 0, bytes, options));
  return array;
}

Result<TrialAnswer> Device::attempt(std::span<std::byte const>, DeviceStep const&,
                                    std::span<LimitedOutput const>, int, TimingOptions const&,
                                    CallOptions const&) {
  return bad_input("unknown_request", "the device does not try kernels in one call");
}

Status Device::attempt_each(std::span<TrialCall const>, std::span<LimitedOutput const>, int,
                            TimingOptions const&, CallOptions const&, OnTrial const&) {
  return bad_input("unknown_request", "the device does not try several kernels in one call");
}

}  // namespace tw
