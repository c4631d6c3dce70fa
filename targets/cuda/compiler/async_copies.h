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
};
inline constexpr std::array<AsyncCopy, 3> kAsyncCopies{
    {{"copy_async_4", 4}, {"copy_async_8", 8}, {"copy_async_16", 16}}};
inline constexpr char kCommitName[] = "commit_copies", kWaitName[] = "wait_copies";

/// Declares the copies, what ends a group of them and what waits for groups.
void add_async_copies(Target& target);

/// Whether what is known of the indices proves that all copies stand where they must. Errors:
/// unaligned_copy, with the place that is not known to.
Status check_async_copies(ir::KernelIr const& kernel);

}  // namespace tw::cuda
