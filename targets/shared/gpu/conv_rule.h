/// The schedule by rule of a convolution: tiles of input and weights in shared memory, sums of
/// several channels in a thread's registers.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// Of a program that is one convolution, Y[n, o, y, x] = sum[c, r, s] X[n, c, y.., x..] * W[o, c,
/// r, s] with n or not and r, s or not, at most one stage before it that makes its input element by
/// element (padding), and at most one after it that reads its elements: at most 25 lines. A block
/// makes some channels of a tile of the picture, a thread those channels of one place, or of some
/// rows of a column. Tiles are asked of `decisions`; by rule they are those that `judge` takes for
/// the fastest. Nothing: it is none, or in groups, or too small for tiles.
std::optional<Schedule> conv_schedule(ir::Program const& program,
                                      std::shared_ptr<Target const> target, Decisions& decisions,
                                      Judge const& judge);

}  // namespace tw::gpu
