/// The schedule by rule of a matrix product that matrix units multiply in fragments of 8 x 8.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/judge.h"
#include "targets/shared/gpu/product_rule.h"

namespace tw::cuda {

/// Of factors of 16 bits in whole tiles, with terms in rows or in columns: both come by
/// asynchronous copies and `ldmatrix`. Tiles are asked of `decisions`; by rule they are those that
/// `judge` takes for the fastest. Nothing: the product has no whole tiles, or a step is refused.
std::optional<Schedule> fragment_product(ir::Program const& program,
                                         std::shared_ptr<Target const> target,
                                         gpu::Product const& product, MatrixUnit const& unit,
                                         Decisions& decisions, gpu::Judge const& judge);

}  // namespace tw::cuda
