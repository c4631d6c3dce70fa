/// What the compiler knows of a call before tokens: which elements of which memory it touches.
#pragma once

#include <vector>

#include "targets/vta/stream/calls.h"

namespace tw::vta {

/// Elements [begin, end) of a memory. What stores read of OUT lies as ACC does, and counts as ACC.
struct Touched {
  Memory memory = Memory::kInp;
  int64_t begin = 0, end = 0;
  bool write = false;
  bool operator==(Touched const&) const = default;
};

struct StageCall {
  Call call;
  std::vector<Touched> touched;
};

}  // namespace tw::vta
