/// Convolutions, as rules of a GPU see them.
#pragma once

#include <optional>
#include <string>

#include "targets/shared/gpu/conv_tiles.h"
#include "targets/shared/gpu/stage_loops.h"

namespace tw::gpu {

/// Of a picture, or it is too small for tiles.
inline constexpr int64_t kLeastPlaces = 32;

/// A convolution with what stands around it: Y[n, o, y, x] = sum[c, r, s] X[n, c, y.., x..] * W[o,
/// c, r, s] with n or not and r, s or not, at most one stage before it that makes its input, and at
/// most one after it that reads its elements.
struct Convolution {
  std::string block, before, after;  ///< empty: there is no such stage
  std::string input, weights;        ///< tensors
  size_t channel = 0;                ///< the weights' dimension of output channels
  size_t weight_rank = 0;
  StageLoops loops;
  ConvShape shape;
};

/// Nothing: the program is something else, in groups, or too small for tiles.
std::optional<Convolution> convolution_of(ir::Program const& program);

}  // namespace tw::gpu
