/// What the compiler knows of a call before tokens: which elements of which memory it touches.
#pragma once

#include <array>
#include <vector>

#include "engine/arith/linear.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta {

/// Elements [begin, end) of a memory. What stores read of OUT lies as ACC does, and counts as ACC.
struct Touched {
  Memory memory = Memory::kInp;
  int64_t begin = 0, end = 0;
  bool write = false;
  uint8_t operand = 0;  ///< of the call: whose elements they are
  bool operator==(Touched const&) const = default;
};

struct StageCall {
  Call call;
  std::vector<Touched> touched;
  /// By which its operands are reached: dst, src and wgt, or sram and dram; null: there is none.
  std::array<arith::Linear const*, 3> indices{};
};

}  // namespace tw::vta
