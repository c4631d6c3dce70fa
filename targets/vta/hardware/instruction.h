/// VTA's instructions as values. Bits, text and meaning are apart: encoding.h, assembly.h and
/// targets/vta/simulator. Source: Moreau et al. 2018, §2.2 to 2.4.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

enum class Opcode : uint8_t { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4 };
enum class AluOp : uint8_t {
  kMin = 0,
  kMax = 1,
  kAdd = 2,
  kShr = 3,  ///< arithmetic; by a negative number to the left
  kMul = 4,
  kClip = 5,     ///< v2: to [-source, source]
  kMove = 6,     ///< v2: the source alone
  kMulByte = 7,  ///< v2: the product of both low bytes, signed
};
/// v2: what fills the border of a padded load.
enum class PadValue : uint8_t { kZero = 0, kLowest = 1, kHighest = 2 };

/// The modules that run instructions; fetch hands them out.
enum class Module : uint8_t { kLoad = 0, kCompute = 1, kStore = 2 };
inline constexpr int kModules = 3;

/// prev and next as the module that executes sees them: load < compute < store. Pops come before
/// the instruction runs, pushes after it is done.
struct Tokens {
  bool pop_prev = false, pop_next = false, push_prev = false, push_next = false;
  bool operator==(Tokens const&) const = default;
};

/// Of LOAD and STORE. All counts and places in elements of `memory`; where x_size = 0 or y_size = 0
/// nothing comes out of DRAM or goes there, but tokens go.
struct Transfer {
  Memory memory = Memory::kInp;
  uint32_t sram = 0;
  uint64_t dram = 0;  ///< address in bytes / bytes of an element
  uint32_t y_size = 0, x_size = 0, x_stride = 0;
  uint32_t y_pad_before = 0, y_pad_after = 0, x_pad_before = 0, x_pad_after = 0;
  PadValue pad_value = PadValue::kZero;
  bool saturate = false;  ///< v2, STORE: to the range of OUT's type, instead of the low bits
  bool operator==(Transfer const&) const = default;
  bool nothing() const { return x_size == 0 || y_size == 0; }  ///< of DRAM is touched
  bool padded() const { return y_pad_before || y_pad_after || x_pad_before || x_pad_after; }
  /// Rows and columns that a LOAD fills.
  int64_t rows() const { return int64_t(y_pad_before) + y_size + y_pad_after; }
  int64_t columns() const { return int64_t(x_pad_before) + x_size + x_pad_after; }
};

/// What indices of one operand are added for each step of the two loops.
struct Factors {
  uint32_t outer = 0, inner = 0;
  bool operator==(Factors const&) const = default;
};

/// Of GEMM and ALU: for o < outer: for i < inner: for each micro-op of [uop_begin, uop_end).
struct Nest {
  bool reset = false;  ///< GEMM: ACC becomes 0
  uint32_t uop_begin = 0, uop_end = 0;
  uint32_t outer = 1, inner = 1;
  Factors dst, src, wgt;  ///< wgt: of GEMM alone
  bool operator==(Nest const&) const = default;
  int64_t uops() const { return int64_t(uop_end) - int64_t(uop_begin); }
  int64_t steps() const { return int64_t(outer) * inner * uops(); }
};

struct Instruction {
  Opcode opcode = Opcode::kFinish;
  Tokens tokens;
  Transfer transfer;  ///< of LOAD and STORE
  Nest nest;          ///< of GEMM and ALU
  AluOp alu = AluOp::kMin;
  bool use_immediate = false;
  int32_t immediate = 0;  ///< of 16 bits
  /// Fields that the opcode does not have must be as they are here to be encoded.
  bool operator==(Instruction const&) const = default;
};

/// dst: ACC; src: INP of a GEMM, ACC of an ALU; wgt: WGT.
struct MicroOp {
  uint32_t dst = 0, src = 0, wgt = 0;
  bool operator==(MicroOp const&) const = default;
};

/// Whether a LOAD leaves its memory as it is: even its padding is nothing, or the design leaves out
/// loads without columns.
bool fills_nothing(Configuration const& configuration, Transfer const& load);

Module module_of(Instruction const& instruction);
std::string_view to_text(Opcode opcode);
std::string_view to_text(AluOp op);
std::string_view to_text(Module module);  ///< "load", "compute", "store"

using Stream = std::vector<Instruction>;

}  // namespace tw::vta
