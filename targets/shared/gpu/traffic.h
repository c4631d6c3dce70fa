/// Bytes that a launch moves between the memories of a GPU.
#pragma once

#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// What holds data between.
struct Caches {
  int64_t l1_bytes = 0;  ///< that one block has of its multiprocessor's
  int64_t l2_bytes = 0;
  int64_t wave_blocks = 1;  ///< that run at once
};

/// Of the launch, but for `l1_cycles` and `shared_cycles`.
struct Traffic {
  double shared_cycles = 0;  ///< of one block: passes of shared memory, each 128 bytes at most
  double l1_cycles = 0;      ///< of one block: of loads and stores of main memory, the same path;
                             ///< of copies past L1 and registers only what they write is counted
  double l2_bytes = 0;       ///< between L1 and L2, of all blocks
  double l2_busy_bytes = 0;  ///< that L2 could have moved meanwhile: a request takes as long as 64
  double dram_bytes = 0;
  double asked_bytes = 0;    ///< sectors that loads of main memory ask L1 for
  double loaded_bytes = 0;   ///< of `l2_bytes`: those that loads miss in L1
  double touched_bytes = 0;  ///< different ones of main memory
  /// The part of a thread's turns that want what its block has not had: its warps go side by side,
  /// so that all of them wait where one misses in L1.
  double fresh_turns = 0;
};

/// A block's warps run side by side and share what L1 keeps for them, blocks share nothing but L2.
/// A cache keeps what one iteration of a loop leaves for the next where all that the iteration
/// touches fits; then the loop brings each sector once. For L2, an iteration is that of all blocks
/// of a wave. Stores go through L1. A warp's access that is not decided counts as side by side.
Traffic traffic_of(LaunchNest const& nest, Caches const& caches);

}  // namespace tw::gpu
