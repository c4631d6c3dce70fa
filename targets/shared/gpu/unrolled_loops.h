/// What stays of a thread's loops in its code: those that are marked as unrolled are written out.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ir/handles.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

/// Statements that the code has for one iteration of all loops around, and whether it has a loop
/// or a barrier that stays.
struct Weight {
  int64_t statements = 0;
  bool stays = false;
};
Weight weigh(ir::Stmt const& s);

/// Whether a loop of so many iterations, whose body has that weight, is written out.
bool is_unrolled(ir::For const& loop, int64_t extent, Weight const& weight);

/// Registers have no addresses: each index of a tensor in them must be a number in what is written
/// out.
bool indices_are_known(ir::Stmt const& s, std::string const& tensor);

}  // namespace tw::gpu
