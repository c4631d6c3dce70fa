/// What the ALU does with one lane, and with a whole instruction.
#pragma once

#include "targets/vta/simulator/gemm.h"

namespace tw::vta {

/// `source`: another accumulator's lane, or the immediate. Modulo 2^32; `low_bits` cuts it further.
/// Shifts by more than a lane has bits leave its sign, or 0; of the amount `shift_bits` are used.
int32_t alu_of(AluOp op, int32_t value, int32_t source, int shift_bits = 32);

/// One ALU instruction over memories that its indices are known to be inside of. Steps see what
/// those before them wrote.
struct AluCall {
  Instruction const& instruction;
  std::span<MicroOp const> uops;
  int64_t lanes = 16;  ///< batch * block
  int acc_bits = 32, out_bits = 8, shift_bits = 32;
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
  int8_t* out_saturated = nullptr;  ///< null: there is none
};
void run_alu(AluCall const& call);

}  // namespace tw::vta
