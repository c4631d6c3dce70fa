/// The default schedule of products, and of convolutions, that a matrix unit computes as the
/// program has them.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::cuda {

/// Tiles of both factors come to shared memory by asynchronous copies while warps multiply those
/// before them; where rows, columns or terms are no whole tiles, with zeros behind them, by plain
/// ones. A convolution becomes such a product whose factors are made tile by tile; which tiles, and
/// in how many parts its sums are made, `judge` says. Nothing: it is no product of such types, or a
/// factor's last dimensions are others than rows or columns and terms.
std::optional<Schedule> matrix_schedule(ir::Program const& program,
                                        std::shared_ptr<Target const> target, Decisions& decisions,
                                        gpu::Judge const& judge);

}  // namespace tw::cuda
