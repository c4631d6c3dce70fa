/// The schedule by rule of a convolution that matrix units multiply in fragments of 8 x 8.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/shared/gpu/convolution.h"
#include "targets/shared/gpu/judge.h"

namespace tw::cuda {

/// As a product whose tiles have all terms of some channels: their weights lie side by side, and
/// come by asynchronous copies; each thread gathers all terms of a place of the input, whose places
/// in the window are then the same in every tile. Tiles are asked of `decisions`; by rule they are
/// those that `judge` takes for the fastest. Nothing: no whole tiles of terms, or a step is
/// refused.
std::optional<Schedule> fragment_conv(ir::Program const& program,
                                      std::shared_ptr<Target const> target,
                                      gpu::Convolution const& conv, MatrixUnit const& unit,
                                      Decisions& decisions, gpu::Judge const& judge);

}  // namespace tw::cuda
