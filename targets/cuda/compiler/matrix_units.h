/// Products by matrix units, mma.sync of sm_80 and later, which the threads of a warp run together.
///
/// Each is declared as what it does for one thread: products of two rows of `a` with two columns of
/// `b`, added to four sums that the thread keeps. Thread 4g+t of a warp has rows of group g and
/// columns of group t, wherever these stand. What the unit takes of a thread are other elements of
/// the same rows and columns (PTX ISA, Matrix Fragments for mma.m16n8k16).
#pragma once

#include <array>
#include <map>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw::cuda {

struct MatrixUnit {
  char const* name;
  DType factor, sum;
  /// What a register of 32 bits holds.
  int packed() const { return int(4 / size_of(factor)); }
  /// Terms of each sum that one instruction adds.
  int terms() const { return 8 * packed(); }
};
inline constexpr std::array<MatrixUnit, 4> kMatrixUnits{{{"mma_f16", DType::kF16, DType::kF32},
                                                         {"mma_bf16", DType::kBF16, DType::kF32},
                                                         {"mma_i8", DType::kI8, DType::kI32},
                                                         {"mma_u8", DType::kU8, DType::kI32}}};
inline constexpr int kSums = 4;          ///< of a thread
inline constexpr int kRegistersOfA = 4;  ///< of 32 bits, of a thread
inline constexpr int kRegistersOfB = 2;
inline constexpr int64_t kWarpThreads = 32;

void add_matrix_units(Target& target);

/// By call: what it takes of a thread instead of the operands of its declaration, element by
/// element: four sums, then what is packed into registers of `a`, then of `b`. Errors: not_a_warp,
/// with why the threads of a warp do not run it together.
Result<std::map<ir::StmtNode const*, std::vector<ir::Operand>>> matrix_operands(
    ir::KernelIr const& kernel);

}  // namespace tw::cuda
