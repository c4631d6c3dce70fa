/// One kernel on a device: its inputs uploaded once, then any number of artifacts run, compared and
/// timed on them.
#pragma once

#include <optional>
#include <vector>

#include "engine/compile/kernel_code.h"
#include "engine/device/device.h"
#include "engine/ir/program.h"

namespace tw {

struct BenchOptions {
  int threads = 1;
  TimingPlan timing;
  CallOptions call;
};

struct BenchResult {
  Samples samples;
  std::vector<NDArray> outputs;  ///< of the first run, over poisoned buffers
};

/// Not thread-safe. After the device was restarted everything is uploaded again by itself.
class KernelBench {
public:
  KernelBench(Device& device, ir::Program const& program, std::vector<NDArray> inputs);
  ~KernelBench();
  KernelBench(KernelBench const&) = delete;

  std::vector<NDArray> const& inputs() const { return inputs_; }
  /// Runs once and reads the outputs back. Errors: those of the device.
  Result<std::vector<NDArray>> run(KernelCode const& code, BenchOptions const& options);
  /// Runs code of CodeTier::kChecked once: empty, or which access was wrong.
  Result<std::string> run_checked(KernelCode const& code, BenchOptions const& options);
  /// `run`, then times what runs each time; what is made when the model is loaded is not timed.
  Result<BenchResult> measure(KernelCode const& code, BenchOptions const& options);

private:
  Status upload(int64_t workspace, CallOptions const& call);
  Result<DeviceStep> prepare(KernelCode const& code, CallOptions const& call);
  Status make_parameters(KernelCode const& code, BenchOptions const& options);
  void forget();
  Result<BenchResult> attempt(KernelCode const& code, BenchOptions const& options, bool timed);

  Device& device_;
  std::vector<ir::Buffer> input_buffers_, output_buffers_;
  std::vector<NDArray> inputs_;
  std::vector<TensorHandle> tensors_;  ///< inputs, then outputs
  TensorHandle workspace_;
  int64_t workspace_bytes_ = -1;
  std::vector<TensorHandle> made_;  ///< by the load step of the code that ran last
};

/// Normal random values for a kernel's inputs; integers from 0 to 9. Seeded.
Result<std::vector<NDArray>> random_kernel_inputs(std::vector<ir::Buffer> const& inputs,
                                                  uint64_t seed);

}  // namespace tw
