/// The schedule by rule of short sums: of the windows of a picture, in pooling and in depthwise
/// convolutions.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// Of a program that is one short sum of two dimensions or more, with stages before it that make
/// its input element by element (padding, which is then read where it is needed) and at most one
/// after it that reads its elements: a thread makes some rows of one column, in registers; threads
/// side by side have columns side by side. How many is asked of `decisions`. Nothing: it is no such
/// program.
std::optional<Schedule> window_schedule(ir::Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions);

}  // namespace tw::gpu
