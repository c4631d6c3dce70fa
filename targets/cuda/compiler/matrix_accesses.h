/// What the threads of a warp read in the call of a matrix unit.
#pragma once

#include <map>

#include "targets/shared/gpu/warp_accesses.h"

namespace tw::cuda {

/// By call, of what `matrix_calls` made of it: rows that lanes hand over to ldmatrix, 16 bytes
/// each; else a register at a time where what it holds lies side by side, and element by element
/// where it does not. Sums are a thread's own.
gpu::CallAccesses matrix_accesses(std::map<ir::StmtNode const*, ir::Stmt> const& made);

}  // namespace tw::cuda
