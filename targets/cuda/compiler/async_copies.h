/// Copies from main to shared memory that go on while others compute: cp.async of sm_80 and later.
#pragma once

#include <array>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw::cuda {

/// Both places must be multiples of the size (PTX ISA, cp.async).
struct AsyncCopy {
  char const* name;
  int bytes;
  DType type = DType::kF32;  ///< of what is copied
};
inline constexpr std::array<AsyncCopy, 9> kAsyncCopies{{{"copy_async_4", 4},
                                                        {"copy_async_8", 8},
                                                        {"copy_async_16", 16},
                                                        {"copy_async_16_f16", 16, DType::kF16},
                                                        {"copy_async_8_f16", 8, DType::kF16},
                                                        {"copy_async_16_bf16", 16, DType::kBF16},
                                                        {"copy_async_8_bf16", 8, DType::kBF16},
                                                        {"copy_async_16_i8", 16, DType::kI8},
                                                        {"copy_async_16_u8", 16, DType::kU8}}};
inline constexpr char kCommitName[] = "commit_copies", kWaitName[] = "wait_copies";

/// Declares the copies, what ends a group of them and what waits for groups.
void add_async_copies(Target& target);

/// Whether what is known of the indices proves that all copies stand where they must. Errors:
/// unaligned_copy, with the place that is not known to.
Status check_async_copies(ir::KernelIr const& kernel);

}  // namespace tw::cuda
