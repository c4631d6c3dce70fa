/// One kernel on a device: its inputs uploaded once, then any number of artifacts run, compared and
/// timed on them.
#pragma once

#include <optional>
#include <vector>

#include "engine/backend/backend.h"
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
  Result<std::vector<NDArray>> run(Artifact const& artifact, BenchOptions const& options);
  /// Runs an artifact of CodeTier::kChecked once: empty, or which access was wrong.
  Result<std::string> run_checked(Artifact const& artifact, BenchOptions const& options);
  /// `run`, then times.
  Result<BenchResult> measure(Artifact const& artifact, BenchOptions const& options);

private:
  Status upload(int64_t workspace, CallOptions const& call);
  Result<DeviceStep> prepare(Artifact const& artifact, CallOptions const& call);
  void forget();
  Result<BenchResult> attempt(Artifact const& artifact, BenchOptions const& options, bool timed);

  Device& device_;
  std::vector<ir::Buffer> input_buffers_, output_buffers_;
  std::vector<NDArray> inputs_;
  std::vector<TensorHandle> tensors_;  ///< inputs, then outputs
  TensorHandle workspace_;
  int64_t workspace_bytes_ = -1;
};

/// Normal random values for a kernel's inputs; integers from 0 to 9. Seeded.
Result<std::vector<NDArray>> random_kernel_inputs(std::vector<ir::Buffer> const& inputs,
                                                  uint64_t seed);

}  // namespace tw
