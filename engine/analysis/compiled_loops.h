/// Loops as an optimizing compiler of scalar code leaves them.
///
/// LLVM's default pipeline unrolls an innermost loop of few iterations as a whole, and then makes
/// vectors of the loop that is innermost now, without being asked: a plain nest whose innermost
/// loop walks neighbours is as fast as one whose loop is vectorized by a step. Sums of floats along
/// that loop stay in their order, since they would round otherwise.
#pragma once

#include <vector>

#include "engine/analysis/instructions.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// A block under loops that it owns where the compiler changes them.
struct CompiledSite {
  ir::BlockSite site;
  std::vector<ir::Stmt> made;  ///< what `site` points to
};

/// The block with an innermost serial loop cut into vectors of `vector_lanes` numbers of 32 bits,
/// where a compiler sees that it may: neighbours are loaded and stored, nothing depends on an
/// earlier iteration, no guard. Unchanged where steps made vectors already.
CompiledSite compiled(ir::BlockSite const& site, int vector_lanes);

/// Of the block as a compiler leaves it.
Instructions compiled_instructions(ir::BlockSite const& site, int vector_lanes);

}  // namespace tw::analysis
