#include "targets/vta/simulator/alu.h"

#include <algorithm>

namespace tw::vta {
namespace {

int32_t shifted(int32_t value, int32_t amount) {
  if (amount >= 0) return value >> std::min(amount, 31);
  return amount < -31 ? 0 : int32_t(uint32_t(value) << -amount);
}

int32_t clipped(int32_t value, int32_t bound) {
  auto low = int32_t(0u - uint32_t(bound));
  return std::min(std::max(value, low), bound);
}

template <AluOp kOp>
int32_t lane_of(int32_t value, int32_t source) {
  switch (kOp) {
    case AluOp::kMin:
      return std::min(value, source);
    case AluOp::kMax:
      return std::max(value, source);
    case AluOp::kAdd:
      return int32_t(uint32_t(value) + uint32_t(source));
    case AluOp::kShr:
      return shifted(value, source);
    case AluOp::kMul:
      return int32_t(uint32_t(value) * uint32_t(source));
    case AluOp::kClip:
      return clipped(value, source);
    case AluOp::kMove:
      return source;
    case AluOp::kMulByte:
      return int32_t(int8_t(value)) * int8_t(source);
  }
  return value;
}

/// What of the other side counts.
template <AluOp kOp>
int32_t operand(int32_t source, int shift_bits) {
  return kOp == AluOp::kShr && shift_bits < 32 ? low_bits(source, shift_bits) : source;
}

/// All lanes of one step; `source` null: the immediate.
template <AluOp kOp>
void step(AluCall const& call, size_t at, int32_t const* source) {
  int32_t* acc = call.acc + at;
  auto const lanes = size_t(call.lanes);
  int32_t const immediate = operand<kOp>(call.instruction.immediate, call.shift_bits);
  if (source)
    for (size_t lane = 0; lane < lanes; ++lane)
      acc[lane] = lane_of<kOp>(acc[lane], operand<kOp>(source[lane], call.shift_bits));
  else
    for (size_t lane = 0; lane < lanes; ++lane) acc[lane] = lane_of<kOp>(acc[lane], immediate);
  if (call.acc_bits < 32)
    for (size_t lane = 0; lane < lanes; ++lane) acc[lane] = low_bits(acc[lane], call.acc_bits);
  int8_t* out = call.out + at;
  for (size_t lane = 0; lane < lanes; ++lane)
    out[lane] = int8_t(low_bits(acc[lane], call.out_bits));
  if (int8_t* saturated = call.out_saturated ? call.out_saturated + at : nullptr)
    for (size_t lane = 0; lane < lanes; ++lane)
      saturated[lane] = int8_t(saturated_to(acc[lane], call.out_bits));
}

template <AluOp kOp>
void run(AluCall const& call) {
  Nest const& nest = call.instruction.nest;
  auto const lanes = size_t(call.lanes);
  for (uint32_t o = 0; o < nest.outer; ++o)
    for (uint32_t i = 0; i < nest.inner; ++i)
      for (MicroOp const& uop : call.uops) {
        size_t dst = uop.dst + size_t(o) * nest.dst.outer + size_t(i) * nest.dst.inner;
        size_t src = uop.src + size_t(o) * nest.src.outer + size_t(i) * nest.src.inner;
        step<kOp>(call, dst * lanes,
                  call.instruction.use_immediate ? nullptr : call.acc + src * lanes);
      }
}

}  // namespace

int32_t alu_of(AluOp op, int32_t value, int32_t source, int shift_bits) {
  constexpr int32_t (*kLanes[])(int32_t, int32_t) = {
      lane_of<AluOp::kMin>, lane_of<AluOp::kMax>,  lane_of<AluOp::kAdd>,  lane_of<AluOp::kShr>,
      lane_of<AluOp::kMul>, lane_of<AluOp::kClip>, lane_of<AluOp::kMove>, lane_of<AluOp::kMulByte>};
  if (op == AluOp::kShr) source = operand<AluOp::kShr>(source, shift_bits);
  return kLanes[size_t(op)](value, source);
}

void run_alu(AluCall const& call) {
  constexpr void (*kRuns[])(AluCall const&) = {
      run<AluOp::kMin>, run<AluOp::kMax>,  run<AluOp::kAdd>,  run<AluOp::kShr>,
      run<AluOp::kMul>, run<AluOp::kClip>, run<AluOp::kMove>, run<AluOp::kMulByte>};
  kRuns[size_t(call.instruction.alu)](call);
}

}  // namespace tw::vta
