/// Arithmetic and memory instructions of a block, as its annotated loops make them.
#pragma once

#include <vector>

#include "engine/analysis/touched.h"
#include "engine/ir/program.h"

namespace tw::analysis {

struct Instructions {
  double flops = 0;            ///< of floats
  double arithmetic = 0;       ///< vector instructions; a fused multiply-add of floats is one
  double vector_accesses = 0;  ///< loads and stores of neighbouring lanes
  double scalar_accesses = 0;  ///< of one element: broadcasts, gathers, code without lanes
  double bytes = 0;            ///< that they ask for
  double chains = 1;      ///< sums that do not wait for each other; large where nothing sums up
  bool integers = false;  ///< that is what it sums up
  double lanes = 1;       ///< of a full vector instruction
  int64_t tasks = 1;      ///< of the parallel loops around
};

/// Numbers of which a register that has `vector_lanes` of 32 bits holds one each for a block with
/// these accesses: of the widest among what it loads and stores. Floats are computed with in 32
/// bits at least; numbers of 64 bits that a block does not store are indices.
int lanes_of(std::vector<TensorAccess> const& accesses, int vector_lanes);

/// `vector_lanes`: 32-bit lanes of the machine's widest register.
Instructions instructions_of(ir::BlockSite const& site, int vector_lanes);

}  // namespace tw::analysis
