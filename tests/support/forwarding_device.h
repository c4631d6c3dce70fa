/// This machine as a device of which a test makes something else by overriding a call.
#pragma once

#include "engine/device/local_device.h"
#include "engine/device/messages.pb.h"

namespace tw::testing {

class ForwardingDevice : public Device {
public:
  explicit ForwardingDevice(LocalDeviceOptions options) : device_(std::move(options)) {}

  Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) override {
    return device_.ask(request, options);
  }
  Result<Timing> time(std::span<DeviceStep const> steps, int threads, TimingOptions const& timing,
                      CallOptions const& options) override {
    return device_.time(steps, threads, timing, options);
  }
  Result<Hardware> describe(CallOptions const& options) override {
    return device_.describe(options);
  }
  Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) override {
    return device_.allocate(bytes, options);
  }
  Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
               CallOptions const& options) override {
    return device_.write(tensor, offset, from, options);
  }
  Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
              CallOptions const& options) override {
    return device_.read(tensor, offset, to, options);
  }
  Status free(TensorHandle const& tensor) override { return device_.free(tensor); }
  Result<LibraryHandle> load(std::span<std::byte const> library,
                             CallOptions const& options) override {
    return device_.load(library, options);
  }
  Result<LibraryHandle> load_network(LibraryHandle const& library, std::string const& description,
                                     CallOptions const& options) override {
    return device_.load_network(library, description, options);
  }
  Status free(LibraryHandle const& library) override { return device_.free(library); }
  Status run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) override {
    return device_.run(steps, threads, options);
  }

private:
  LocalDevice device_;
};

}  // namespace tw::testing
