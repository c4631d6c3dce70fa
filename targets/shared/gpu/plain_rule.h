/// The schedule by rule of what no other rule knows: one thread for each element.
#pragma once

#include <memory>

#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// The outer loops of each block that have no sum are one loop, whose iterations are threads of
/// blocks of `threads`; a sum is in a register until it is done. What cannot be bound stays as it
/// is, and lowering says why.
Schedule plain_schedule(ir::Program const& program, std::shared_ptr<Target const> target,
                        int64_t threads);

}  // namespace tw::gpu
