/// Copies of whole rows that one thread starts and a unit of its own makes, in one piece.
#pragma once

#include <vector>

#include "engine/ir/stmt.h"
#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// Bytes of such a copy; 0: it is none.
int64_t piece_of(ir::IntrinsicNode const& intrinsic);

/// Where one is started: the loops around it, and how often a thread does.
struct PiecePlace {
  std::vector<size_t> around;
  double times = 1;
  Share share;
};
/// Adds what it touches, and two instructions for each thread that starts one: a barrier learns of
/// the bytes, the unit is told of both places. Their addresses are not counted.
void add_piece(LaunchNest& nest, ir::IntrinsicCall const& call, PiecePlace place);

}  // namespace tw::gpu
