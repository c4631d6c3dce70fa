/// Kernels that run one after the other on tensors that lie in one arena.
#pragma once

#include "tests/benchmarks/gpu/runner/item.h"

namespace tw::gpu_bench {

class Network {
public:
  /// `code`: of an item with parameters, for the device's architecture. `tensors` outlive it.
  /// Errors: those of kernels and of memory.
  static Result<Network> load(Device const& device, Pack const& pack, Json const& item,
                              Json const& code, ItemTensors const& tensors);
  /// Puts all launches on the stream.
  Status run() const;
  std::string const& form() const { return kernels_.front().form(); }

private:
  struct Step {
    size_t kernel = 0;
    std::vector<cuda::CuPointer> places;
  };
  Network() = default;
  std::vector<Kernel> kernels_;
  std::vector<Memory> parameters_;
  Memory arena_;
  std::vector<Step> steps_;
};

}  // namespace tw::gpu_bench
