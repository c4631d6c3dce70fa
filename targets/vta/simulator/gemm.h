/// The products of a GEMM instruction: as they are defined, and fast for the shapes that boards
/// have.
#pragma once

#include <cstdint>
#include <span>

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// One GEMM instruction over memories that its indices are known to be inside of. ACC[dst]
/// [batch][block] += INP[src] [batch][block] x transpose(WGT[wgt] [block][block]), modulo 2 to the
/// accumulator's bits; OUT[dst] is what is left of it in OUT's bits.
struct GemmCall {
  Nest const& nest;
  std::span<MicroOp const> uops;  ///< of the instruction's range
  int64_t batch = 1, block = 16;
  int acc_bits = 32, out_bits = 8;
  int8_t const* inp = nullptr;
  int8_t const* wgt = nullptr;
  int16_t const* wgt_pairs = nullptr;
  int32_t* acc = nullptr;
  int8_t* out = nullptr;
  int8_t* out_saturated = nullptr;  ///< null: there is none
};

/// Three loops, nothing else: what the fast ones are tested against.
void gemm_by_definition(GemmCall const& call);
/// The same result, by `gemm_by_definition` where nothing is faster.
void gemm_fast(GemmCall const& call);

/// Whether `wgt_pairs` are wanted: block / 2 rows of `block` pairs, pair [p][o] being WGT[o][2 p]
/// and WGT[o][2 p + 1] as 16 bits: what one instruction multiplies and sums on most processors.
bool has_pairs(int64_t block);
void make_pairs(int64_t block, int8_t const* wgt, int16_t* pairs);

/// `value` cut to `bits`, with its sign.
inline int32_t low_bits(int32_t value, int bits) {
  return int32_t(uint32_t(value) << (32 - bits)) >> (32 - bits);
}
inline int32_t saturated_to(int32_t value, int bits) {
  int32_t most = int32_t((uint32_t(1) << (bits - 1)) - 1);
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

}  // namespace tw::vta
