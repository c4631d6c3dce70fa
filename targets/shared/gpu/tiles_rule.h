/// The schedule by rule of small tiles that are transformed in registers: the parts of a
/// convolution by transformed tiles (Winograd).
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// Of a program without sums whose stage H[i, j, rest...] has small i and j, and is read at many
/// known j by a stage V[t, rest...] or Y[n, o, y, x], which takes i from t // edge or from y %
/// edge; at most one stage makes the tiles that H is made of, and some may go on with Y element by
/// element: at most 18 lines. A thread makes all of a tile: it has what is between in registers.
/// Threads of a block are asked of `decisions`; by rule they are as many as `judge` takes for the
/// fastest. Nothing: it is something else.
std::optional<Schedule> tiles_schedule(ir::Program const& program,
                                       std::shared_ptr<Target const> target, Decisions& decisions,
                                       Judge const& judge);

}  // namespace tw::gpu
