/// A device at the other end of a line, wherever that leads: its calls as messages.
#pragma once

#include "engine/device/connection.h"
#include "engine/device/device.h"

namespace tw {

class RpcSession;

class WireDevice : public Device {
public:
  /// Opens nothing: the line comes with the first call that needs it. `patience`: how long a
  /// cancelled request may take to come to an end by itself before the line is cut.
  /// `least_timeout`: what a call may take on this device at least, except those that only ask
  /// what it is. `hint`: how to raise it, the end of a sentence about a time-out.
  WireDevice(OpenConnection open_line, std::chrono::milliseconds patience,
             std::chrono::milliseconds least_timeout = {}, std::string hint = {});
  ~WireDevice() override;

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
  Status attempt_each(std::span<TrialCall const> trials, std::span<LimitedOutput const> outputs,
                      int threads, TimingOptions const& timing_options, CallOptions const& options,
                      OnTrial const& on_answer) override;

  /// Counts the lives of the device: handles of a lower generation are gone.
  uint64_t generation() const;

private:
  CallOptions patient(CallOptions const& options) const;

  std::chrono::milliseconds least_timeout_;
  std::unique_ptr<RpcSession> conversation_;
};

}  // namespace tw
