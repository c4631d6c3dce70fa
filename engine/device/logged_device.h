/// A device whose calls are written down: connections, libraries, runs, times, losses, errors.
#pragma once

#include <atomic>
#include <memory>

#include "engine/device/device.h"
#include "engine/device/device_log.h"

namespace tw {

class LoggedDevice final : public Device {
public:
  LoggedDevice(std::shared_ptr<Device> device, std::shared_ptr<DeviceLog> log)
      : device_(std::move(device)), log_(std::move(log)) {}

  Result<Hardware> describe(CallOptions const& options) override;
  Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) override;
  Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) override;
  Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
               CallOptions const& options) override;
  Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
              CallOptions const& options) override;
  Status free(TensorHandle const& tensor) override;
  Result<LibraryHandle> load(std::span<std::byte const> library,
                             CallOptions const& options) override;
  Result<LibraryHandle> load_network(LibraryHandle const& library, std::string const& description,
                                     CallOptions const& options) override;
  Status free(LibraryHandle const& library) override;
  Status run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) override;
  Result<Timing> time(std::span<DeviceStep const> steps, int threads,
                      TimingOptions const& timing_options, CallOptions const& options) override;
  Result<TrialAnswer> attempt(std::span<std::byte const> library, DeviceStep const& step,
                              std::span<LimitedOutput const> outputs, int threads,
                              TimingOptions const& timing_options,
                              CallOptions const& options) override;

private:
  /// After a call that tells in which life of the device it was answered.
  void note_life(uint64_t generation);
  void note_failure(char const* doing, Error const& error);

  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceLog> log_;
  std::atomic<uint64_t> life_{0};
};

}  // namespace tw
