/// The schedule by rule of what is computed row by row: sums of rows, softmax, norms, attention.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// Of a program whose last stage reads what other ones sum up of its own row, with stages between
/// them that sum up nothing, or sum up for each element of the row by itself: a row is a block's,
/// or several are where they are short; its threads share each sum, and nothing but the result is
/// written to main memory. How many threads is asked of `decisions`; where warps add by shuffles,
/// `judge` tells what is taken by default. Nothing: it is no such
/// program, or its rows are too long for shared memory, or the script would be.
std::optional<Schedule> rows_schedule(ir::Program const& program,
                                      std::shared_ptr<Target const> target, Decisions& decisions,
                                      Judge const& judge);

}  // namespace tw::gpu
