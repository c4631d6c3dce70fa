/// The schedule by rule of what exchanges dimensions.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// Of a program whose last stage computes elements from a tensor whose neighbours in memory are not
/// its own: a block brings a square of that tensor to shared memory row by row, and reads it column
/// by column. Stages before it are computed where they are read. How long a side is asked of
/// `decisions`. Nothing: it sums up something, or exchanges nothing, or is too small for squares.
std::optional<Schedule> transpose_schedule(ir::Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions);

}  // namespace tw::gpu
