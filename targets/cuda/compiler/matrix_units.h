/// Products by matrix units, mma.sync of sm_80 and later, which the threads of a warp run together.
///
/// Each is declared as what it does for one thread: products of two rows of `a` with two columns of
/// `b`, added to four sums that the thread keeps. Thread 4g+t of a warp has rows of group g and
/// columns of group t, wherever these stand. What the unit takes of a thread are other elements of
/// the same rows and columns (PTX ISA, Matrix Fragments for mma.m16n8k16).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw::cuda {

struct MatrixUnit {
  char const* name;
  DType factor, sum;
  /// What factors are rounded to on the way; null: nothing.
  char const* rounded = nullptr;
  /// In words: what the factors are when they are multiplied.
  std::string_view arithmetic() const { return rounded ? rounded : to_text(factor); }
  /// What a register of 32 bits holds.
  int packed() const { return int(4 / size_of(factor)); }
  /// Terms of each sum that one instruction adds.
  int terms() const { return 8 * packed(); }
};
/// Who asks for mma_tf32 has data of f32 rounded to 10 bits of mantissa: no rule does.
inline constexpr std::array<MatrixUnit, 5> kMatrixUnits{
    {{"mma_f16", DType::kF16, DType::kF32},
     {"mma_bf16", DType::kBF16, DType::kF32},
     {"mma_i8", DType::kI8, DType::kI32},
     {"mma_u8", DType::kU8, DType::kI32},
     {"mma_tf32", DType::kF32, DType::kF32, "tf32"}}};
inline constexpr int kSums = 4;          ///< of a thread
inline constexpr int kRegistersOfA = 4;  ///< of 32 bits, of a thread
inline constexpr int kRegistersOfB = 2;
inline constexpr int64_t kWarpThreads = 32;

/// How the registers of a factor come to a thread: element by element, or by ldmatrix, to which
/// lanes hand over where rows of 16 bytes begin. Rows are of terms, or of what crosses terms
/// (ldmatrix.trans, elements of 16 bits alone).
enum class Fetch : uint8_t { kElements, kTerms, kAcross };

/// A unit with the way that its factors come.
struct MatrixForm {
  MatrixUnit const* unit = nullptr;
  Fetch a = Fetch::kElements, b = Fetch::kElements;
  std::string name() const;  ///< of the instruction that is made
  /// Operands after the sums.
  int of_a() const { return a == Fetch::kElements ? kRegistersOfA * unit->packed() : 1; }
  int of_b() const { return b == Fetch::kElements ? kRegistersOfB * unit->packed() : 1; }
};
/// Of all units, in all ways.
std::vector<MatrixForm> matrix_forms();
/// The one that a call is made of; nothing: it is another instruction.
std::optional<MatrixForm> form_of(ir::IntrinsicCall const& made);

void add_matrix_units(Target& target);

/// By call: the instruction that is made, named by its form, with what it takes of a thread instead
/// of the operands of the declaration: four sums; then of `a` what is packed into registers,
/// element by element, or where the row begins that the lane hands over; then the same of `b`. Rows
/// are taken where all of them are known to lie side by side at multiples of 16 bytes. Errors:
/// not_a_warp, with why the threads of a warp do not run it together.
Result<std::map<ir::StmtNode const*, ir::Stmt>> matrix_calls(ir::KernelIr const& kernel);

}  // namespace tw::cuda
