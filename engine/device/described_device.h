/// A device that nobody has: hardware by its description, so that code can be made and judged for
/// it.
#pragma once

#include "engine/device/device.h"

namespace tw {

/// Says what it is; whatever would run there fails with not_attached.
class DescribedDevice final : public Device {
public:
  explicit DescribedDevice(Hardware hardware) : hardware_(std::move(hardware)) {}

  Result<Hardware> describe(CallOptions const&) override { return hardware_; }
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

private:
  std::unexpected<Error> no_device() const;
  Hardware hardware_;
};

}  // namespace tw
