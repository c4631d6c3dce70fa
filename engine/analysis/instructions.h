/// Arithmetic and memory instructions of a block, as its annotated loops make them.
#pragma once

#include "engine/ir/program.h"

namespace tw::analysis {

struct Instructions {
  double flops = 0;
  double arithmetic = 0;       ///< vector instructions; a fused multiply-add is one
  double vector_accesses = 0;  ///< loads and stores of neighbouring lanes
  double scalar_accesses = 0;  ///< of one element: broadcasts, gathers, code without lanes
  double bytes = 0;            ///< that they ask for
  double chains = 1;  ///< sums that do not wait for each other; large where nothing sums up
  double lanes = 1;   ///< of a full vector instruction
  int64_t tasks = 1;  ///< of the parallel loops around
};

/// `vector_lanes`: 32-bit lanes of the machine's widest register.
Instructions instructions_of(ir::BlockSite const& site, int vector_lanes);

}  // namespace tw::analysis
