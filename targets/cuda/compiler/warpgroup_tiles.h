/// Schedules of a product that warpgroups multiply (wgmma), of tiles that somebody else has chosen.
#pragma once

#include <string>
#include <vector>

#include "targets/cuda/compiler/matrix_tiles.h"

namespace tw::cuda {

/// Threads bring a factor's tile, by copies that go on meanwhile where its rows are whole and, of
/// one that is `made`, lie side by side.
bool fill_tile(gpu::Steps& steps, Tiles const& tiles, size_t factor, bool made);

/// `after`: blocks that come after the product, in the order in which they read each other. They
/// become one with what writes the sums. False: a step is refused.
bool tile_by_warpgroups(gpu::Steps& steps, gpu::Product const& product, Tiles const& tiles,
                        std::vector<std::string> const& after);

}  // namespace tw::cuda
