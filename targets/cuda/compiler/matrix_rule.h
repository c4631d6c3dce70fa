/// The default schedule of products that a matrix unit computes as the program has them.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::cuda {

/// Tiles of both factors come to shared memory by asynchronous copies while warps multiply those
/// before them. Nothing: it is no product of such types, or its extents are no whole tiles.
std::optional<Schedule> matrix_schedule(ir::Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions);

}  // namespace tw::cuda
