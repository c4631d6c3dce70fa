/// The tensors of one kernel of the pack, and whether what stands in them is right.
#pragma once

#include "engine/tensor/dtype.h"
#include "tests/benchmarks/gpu/runner/device.h"

namespace tw::gpu_bench {

struct ItemTensors {
  std::vector<Memory> inputs, outputs;
  Memory workspace;

  /// Inputs as the pack says, outputs without a number in them. Errors: device_failed.
  static Result<ItemTensors> create(Device const& device, Pack const& pack, Json const& item,
                                    Json const& code);
  /// As a kernel takes them. `outputs`: instead of its own; empty: its own.
  std::vector<cuda::CuPointer> places() const;
};

int64_t bytes_of(Json const& tensor);
/// Of f32: `scale` times the values of `seeded_value`.
std::vector<std::byte> seeded_bytes(uint64_t seed, int64_t bytes, float scale);

/// Every element of all outputs, by the limits that the pack has. Errors: wrong_result, with the
/// first element that is outside.
Status check_all(Pack const& pack, Json const& item, std::vector<Memory> const& outputs);

/// Some elements of the first output: the largest difference, of the largest of them. Errors:
/// wrong_result, where it is above the pack's tolerance; device_failed.
Result<double> check_samples(Json const& item, Memory const& output);

/// Errors: division_by_zero, where a kernel said so.
Status check_fault(Device const& device);

}  // namespace tw::gpu_bench
