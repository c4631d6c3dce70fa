/// What a GPU's code generator makes of an expression: instructions by the unit that runs them.
#pragma once

#include <functional>

#include "engine/ir/handles.h"
#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// Of the values of one expression, without the indices of what it loads; a product that feeds a
/// sum is one instruction with it.
Instructions instructions_of(ir::Expr const& value);
/// Of these, integer operations on nothing that is loaded (conditions of padding): with each, and
/// the instructions that it takes.
void each_of_counters(ir::Expr const& value,
                      std::function<void(ir::Expr const& e, double instructions)> const& visit);
/// Of an index: quotients and remainders; sums and products ride in addresses.
double index_instructions(ir::Expr const& index);
/// Multiply-adds that an instruction does for one thread, which adds products to sums of its own;
/// 0: it does something else.
double multiply_adds_of(ir::IntrinsicNode const& intrinsic);
/// A unit that several warps tell to go on by itself reads shared memory itself, beside the
/// accesses of threads.
bool reads_by_itself(ir::IntrinsicNode const& intrinsic);
/// Values that an index takes as the counter of so many threads runs.
int64_t values_over_lanes(ir::Expr const& index, std::string const& counter, int64_t lanes);
/// Bytes of shared memory that a unit reads by itself in one call, a thread's part: of what the
/// threads have in common, as `counter` runs over so many of them, each byte is read once.
double bytes_by_itself(ir::IntrinsicCall const& call, std::string const& counter, int64_t lanes);

}  // namespace tw::gpu
