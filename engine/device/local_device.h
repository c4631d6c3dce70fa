/// This machine as a device: a child process that runs the kernels, restarted when it is lost.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>

#include "engine/device/device.h"

namespace tw {

struct LocalDeviceOptions {
  /// The program tw-device; empty: next to the program that runs now.
  std::filesystem::path program;
};

class LocalDevice final : public Device {
public:
  /// Starts nothing: the child comes with the first call that needs it.
  explicit LocalDevice(LocalDeviceOptions options);
  ~LocalDevice() override;

  Result<Hardware> describe(CallOptions const& options) override;
  Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) override;
  Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
               CallOptions const& options) override;
  Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
              CallOptions const& options) override;
  Status free(TensorHandle const& tensor) override;
  Result<LibraryHandle> load(std::span<std::byte const> library,
                             CallOptions const& options) override;
  Status free(LibraryHandle const& library) override;
  Status run(std::span<DeviceStep const> steps, int threads, CallOptions const& options) override;
  Result<Timing> time(std::span<DeviceStep const> steps, int threads, TimingPlan const& plan,
                      CallOptions const& options) override;

  /// The child's process id, or -1 when none was started.
  pid_t child() const;
  /// Counts the starts of the child: handles of a lower generation are gone.
  uint64_t generation() const;

private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tw
