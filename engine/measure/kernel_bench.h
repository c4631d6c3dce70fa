/// One kernel on a device: its inputs uploaded once, then any number of artifacts run, compared and
/// timed on them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/compile/kernel_code.h"
#include "engine/device/scoped_handle.h"
#include "engine/ir/program.h"
#include "engine/tensor/limits.h"

namespace tw {

struct BenchOptions {
  int threads = 1;
  TimingOptions timing;
  CallOptions call;
};

struct BenchResult {
  Samples samples;
  std::vector<double> speed;     ///< of the device after each sample
  std::vector<NDArray> outputs;  ///< of the first run, over poisoned buffers
};

/// Not thread-safe. After the device was restarted everything is uploaded again by itself. A run
/// that was cancelled or failed leaves nothing on the device.
class KernelBench {
public:
  KernelBench(Device& device, ir::Program const& program, std::vector<NDArray> inputs);
  KernelBench(KernelBench const&) = delete;

  std::vector<NDArray> const& inputs() const { return inputs_; }
  /// Runs once and reads the outputs back. Errors: those of the device.
  Result<std::vector<NDArray>> run(KernelCode const& code, BenchOptions const& options);
  /// Runs code of CodeTier::kChecked once: empty, or which access was wrong.
  Result<std::string> run_checked(KernelCode const& code, BenchOptions const& options);
  /// `run`, then times what runs each time; what is made when the model is loaded is not timed.
  Result<BenchResult> measure(KernelCode const& code, BenchOptions const& options);

  /// A candidate in one call, judged on the device against `limits` (those of each output, the same
  /// in every call) and timed where it is right. Errors: those of `Device::attempt`; after
  /// unknown_request `measure` does the same in several calls.
  Result<TrialAnswer> attempt(KernelCode const& code, std::span<Limits const> limits,
                              BenchOptions const& options);
  /// Several candidates in one call, none of which makes anything at load; `on_answer` gets each
  /// answer as it comes. What was told is valid. Errors: those of `Device::attempt_each`.
  Status attempt_each(std::span<KernelCode const* const> codes, std::span<Limits const> limits,
                      BenchOptions const& options, OnTrial const& on_answer);
  /// What the last run left.
  Result<std::vector<NDArray>> outputs(CallOptions const& call) { return read_outputs(call); }

private:
  /// A step and what it alone needs: the library goes with it.
  struct Prepared {
    ScopedLibrary library;
    std::vector<DeviceStep> steps;  ///< one
  };

  Status upload(KernelCode const& code, CallOptions const& call);
  Result<Prepared> prepare(KernelCode const& code, BenchOptions const& options);
  Status make_parameters(KernelCode const& code, BenchOptions const& options);
  Result<std::vector<NDArray>> read_outputs(CallOptions const& call);
  void forget();
  DeviceStep step_of(KernelCode const& code) const;
  Status upload(std::span<Limits const> limits, CallOptions const& call);
  std::vector<LimitedOutput> limited_outputs(std::span<Limits const> limits) const;
  Result<TrialAnswer> attempt_once(KernelCode const& code, std::span<Limits const> limits,
                                   BenchOptions const& options);
  Result<BenchResult> run_once(KernelCode const& code, BenchOptions const& options, bool timed);
  /// `run_once`, again where the device had been restarted.
  Result<BenchResult> persist(KernelCode const& code, BenchOptions const& options, bool timed);
  Result<std::string> attempt_checked(KernelCode const& code, BenchOptions const& options);

  Device& device_;
  std::vector<ir::Buffer> input_buffers_, output_buffers_;
  std::vector<NDArray> inputs_;
  std::vector<ScopedTensor> tensors_;  ///< inputs, then outputs
  ScopedTensor workspace_;
  std::vector<ScopedTensor> made_;    ///< by the load step of the code that ran last
  std::vector<ScopedTensor> limits_;  ///< low and high of each output
};

/// Normal random values for a kernel's inputs; integers from 0 to 9. Seeded.
Result<std::vector<NDArray>> random_kernel_inputs(std::vector<ir::Buffer> const& inputs,
                                                  uint64_t seed);

}  // namespace tw
