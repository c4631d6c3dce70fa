/// A device as its clients see it: memory, libraries of kernels, runs and measurements.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/runtime/timer.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"

namespace tw {

namespace wire {
class Request;   // messages.proto
class Response;  // messages.proto
}  // namespace wire

/// Memory on a device. `generation` says in which life of the device it was made: after a restart
/// it is refused with device_restarted.
struct TensorHandle {
  int64_t id = 0;
  uint64_t generation = 0;
  int64_t bytes = 0;
  bool operator==(TensorHandle const&) const = default;
};

struct LibraryHandle {
  int64_t id = 0;
  uint64_t generation = 0;
  bool operator==(LibraryHandle const&) const = default;
};

/// A place in a tensor, so that one tensor can hold many buffers. A default one is a null pointer.
struct BufferView {
  TensorHandle tensor;
  int64_t offset = 0;  ///< bytes
};

/// One call of a kernel, as engine/runtime/abi.h has it: inputs and outputs, then the workspace. Of
/// a network: its inputs, outputs, parameters and arena; then `symbol` is its name for people.
struct DeviceStep {
  LibraryHandle library;
  std::string symbol;
  std::vector<BufferView> buffers;
  BufferView workspace;
};

/// What a device holds for this client.
struct DeviceHolding {
  int64_t tensors = 0;
  int64_t tensor_bytes = 0;
  int64_t libraries = 0;  ///< networks, too
  int64_t library_bytes = 0;
  bool operator==(DeviceHolding const&) const = default;
};

/// What a device says about the moment: its clock, and what else keeps the machine busy.
struct DeviceStatus {
  double unix_seconds = 0;    ///< its own clock
  double uptime_seconds = 0;  ///< of the machine; 0: not known
  double load = -1;           ///< processes that run or wait, over a minute; below 0: not known
  double speed = 0;           ///< as `Timing::speed` has it, now; 0: not known
  DeviceHolding holding;
  std::vector<std::string> open_ways;  ///< what its system does not stop a kernel from
};

/// An output and the least and the greatest value that each of its elements may have
/// (engine/tensor/limits.h): tensors of its type and size.
struct LimitedOutput {
  BufferView values;
  DType type = DType::kF32;
  int64_t elements = 0;
  BufferView low, high;
};

/// What became of a candidate that ran.
struct TrialAnswer {
  int wrong_output = -1;  ///< -1: all are right
  int64_t wrong_element = 0;
  Samples samples;            ///< of what is right
  std::vector<double> speed;  ///< of the processor after each sample, as in Timing
  TimedBy by = TimedBy::kHost;
};

/// Gets each answer of several.
using OnTrial = std::function<void(Result<TrialAnswer> const&)>;

/// One of several candidates; as of `Device::attempt`.
struct TrialCall {
  std::span<std::byte const> library;
  DeviceStep step;
};

/// How long to wait for an answer and what may end the wait. A stop restarts the device only when
/// the running kernel does not come to an end shortly; a time-out restarts it.
struct CallOptions {
  StopToken stop;
  std::chrono::milliseconds timeout{30'000};
};

/// Calls block; they may come from any thread and take turns.
/// Every call can fail with: device_unavailable (cannot be started), device_lost (ended by itself
/// or was killed), device_restarted (a handle of an earlier life), device_timed_out, cancelled;
/// run and time also with kernel_crashed, kernel_timed_out and kernel_failed (a return code).
class Device {
public:
  virtual ~Device() = default;

  virtual Result<Hardware> describe(CallOptions const& options) = 0;
  /// For the requests that are files of their own (engine/device/requests): the answer as it came.
  /// Errors: unknown_request (an older device).
  virtual Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) = 0;

  /// Zero-filled. Errors: tensor_too_large.
  virtual Result<TensorHandle> allocate(int64_t bytes, CallOptions const& options) = 0;
  virtual Status write(TensorHandle const& tensor, int64_t offset, std::span<std::byte const> from,
                       CallOptions const& options) = 0;
  virtual Status read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
                      CallOptions const& options) = 0;
  /// Of an earlier life: nothing to do.
  virtual Status free(TensorHandle const& tensor) = 0;

  /// Errors: module_not_loadable, library_too_large.
  virtual Result<LibraryHandle> load(std::span<std::byte const> library,
                                     CallOptions const& options) = 0;
  /// A network: steps with branches and loops over kernels of `library`, which may be freed before.
  /// It runs as one step of what this gives. `description`: a package's text
  /// (runtime/package/description.h); of its files only the parameters' size counts. Errors:
  /// bad_package, symbol_not_found (when it runs), unknown_request (an older device).
  virtual Result<LibraryHandle> load_network(LibraryHandle const& library,
                                             std::string const& description,
                                             CallOptions const& options) = 0;
  virtual Status free(LibraryHandle const& library) = 0;

  /// Runs the steps in order with `threads` threads (1..1024).
  virtual Status run(std::span<DeviceStep const> steps, int threads,
                     CallOptions const& options) = 0;
  /// Times the steps, each and together; `options.timeout` must allow for
  /// `timing_options.most_seconds`. Errors: also impossible_times (not a number, below zero, days).
  virtual Result<Timing> time(std::span<DeviceStep const> steps, int threads,
                              TimingOptions const& timing_options, CallOptions const& options) = 0;
  /// A candidate in one call: loads `library`, fills the outputs with nonsense, runs the step once,
  /// compares where the outputs lie, times the step where they are right, and forgets the library.
  /// `step.library` does not matter. Errors: those of load, run and time; unknown_request (an older
  /// device, or one that cannot).
  virtual Result<TrialAnswer> attempt(std::span<std::byte const> library, DeviceStep const& step,
                                      std::span<LimitedOutput const> outputs, int threads,
                                      TimingOptions const& timing_options,
                                      CallOptions const& options);
  /// Several candidates that judge by the same outputs, in one call: `on_answer` gets each answer
  /// as soon as it is there, in their order, from this thread. What was told is valid, whatever the
  /// call comes to. `options.timeout` is of all. Errors: those of a call; those of a candidate are
  /// its answer, but for what ends the device's process.
  virtual Status attempt_each(std::span<TrialCall const> trials,
                              std::span<LimitedOutput const> outputs, int threads,
                              TimingOptions const& timing_options, CallOptions const& options,
                              OnTrial const& on_answer);
};

/// Makes a tensor on the device with the content of `array`.
Result<TensorHandle> put_tensor(Device& device, NDArray const& array, CallOptions const& options);
/// Copies the tensor's first bytes into a new array.
Result<NDArray> get_tensor(Device& device, TensorHandle const& tensor, DType type, Shape shape,
                           CallOptions const& options);

}  // namespace tw
