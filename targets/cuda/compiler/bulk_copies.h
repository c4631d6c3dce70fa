/// Rows that come from main to shared memory in one piece, which a unit of its own brings:
/// cp.async.bulk of sm_90 and later. One thread starts each; it is there when the phase of a
/// barrier is over that counts its bytes.
#pragma once

#include <map>
#include <string>

#include "targets/shared/llvm/device_module.h"

namespace tw {
struct DeviceShell;
struct Target;
}  // namespace tw

namespace tw::cuda {

/// The compute capability that brought them.
inline constexpr int kHopper = 90;

/// Declares the copies: `copy_bulk_128` of f32, `copy_bulk_128_f16`, ...
void add_bulk_copies(Target& target);

/// What stands for the copies, each with the barrier that its thread arrives at next, and for what
/// opens these barriers. Errors: unaligned_copy; no_roles, where nothing waits for one.
Result<OwnCalls> bulk_calls(ir::KernelIr const& kernel);

/// That in PTX, and in CUDA C.
void add_bulk_calls(DeviceShell& shell);
void add_bulk_texts(std::map<std::string, std::string, std::less<>>& calls);

}  // namespace tw::cuda
