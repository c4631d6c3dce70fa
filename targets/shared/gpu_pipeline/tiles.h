/// The tiles that a block copies into its shared memory, each with who reads it.
#pragma once

#include "targets/shared/gpu_pipeline/block_run.h"

namespace tw::gpu {

struct Tile {
  std::vector<int> copies, readers;  ///< numbers of steps, in their order
};

struct Tiles {
  std::vector<Tile> tiles;  ///< in the order in which they come
  int slots = 1;            ///< that the tiles need which are there or on their way at once
};

/// A group of copies that go on by themselves is a tile; so is what is copied between two barriers.
/// A tile is read from the wait, or the barrier, on that lets it be read, until the next one may
/// be. Where threads have roles, a turn of those that fill is a tile.
Tiles tiles_of(RunSteps const& run);

}  // namespace tw::gpu
