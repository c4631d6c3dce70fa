/// The default schedule of products that a matrix unit computes as the program has them.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::cuda {

/// Tiles of both factors come to shared memory by asynchronous copies while warps multiply those
/// before them; where rows, columns or terms are no whole tiles, with zeros behind them, by plain
/// ones. Nothing: it is no product of such types, or a factor's last dimensions are others than
/// rows or columns and terms.
std::optional<Schedule> matrix_schedule(ir::Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions);

}  // namespace tw::cuda
