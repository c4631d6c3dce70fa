/// Products by the matrix units of sm_90a, wgmma.mma_async, which the 128 threads of a warpgroup
/// run together, while they do other things.
///
/// Each is declared as what it does for one thread, which keeps sums of two rows: those of thread
/// 32w+4g+t stand eight rows apart, in columns 8n+2t and 8n+2t+1. The unit reads `a` and `b` from
/// shared memory itself, so that all threads' rows and columns together must lie in core matrices
/// of eight rows of 16 bytes (PTX ISA, Asynchronous Warpgroup Level Matrix Instructions).
#pragma once

#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/target/target.h"
#include "targets/shared/llvm/device_module.h"

namespace tw::cuda {

struct WarpgroupUnit {
  std::string name;
  DType factor, sum;
  int64_t columns = 0;
  /// What factors are cut to on the way; null: nothing.
  char const* rounded = nullptr;
  /// In words: what the factors are when they are multiplied.
  std::string_view arithmetic() const { return rounded ? rounded : to_text(factor); }
  /// Elements of a row of a core matrix.
  int64_t row() const { return int64_t(16 / size_of(factor)); }
  /// Terms of each sum that one instruction adds.
  int64_t terms() const { return 2 * row(); }
  int64_t sums() const { return columns / 2; }  ///< of a thread
  /// "m64n128k16.f32.f16.f16"
  std::string shape() const;
  /// Elements of 16 bits may lie along columns as well: the instruction has a word for it.
  bool has_transposes() const { return size_of(factor) == 2; }
};
/// In the order of their types, with fewer columns first.
std::vector<WarpgroupUnit> const& warpgroup_units();
WarpgroupUnit const* warpgroup_unit(ir::IntrinsicNode const& intrinsic);

inline constexpr int64_t kWarpgroupThreads = 128;
inline constexpr char kWarpgroupArchitecture[] = "sm_90a";
inline constexpr char kCommitProducts[] = "commit_products", kWaitProducts[] = "wait_products";
/// What registers and shared memory hold is there for products that come after.
inline constexpr char kFenceProducts[] = "fence_products", kFenceShared[] = "fence_shared";

/// Declares them where the architecture has them.
void add_warpgroup_units(Target& target, std::string const& architecture);
AsyncQueue const& product_queue();

/// By call: the same with other operands than its declaration has. Of a product: its sums, the
/// begins of `a` and `b`, what their descriptors say beside that, and whether they lie along
/// columns; of a wait: its number; of it and a fence then, for each tensor of sums that is there,
/// its begin, how many there are, and whether they are floats. Errors: not_a_warpgroup, with why
/// 128 threads do not run it together; no_core_matrices, with the element that lies elsewhere;
/// sums_not_in_registers.
Result<OwnCalls> warpgroup_calls(ir::KernelIr const& kernel);

}  // namespace tw::cuda
