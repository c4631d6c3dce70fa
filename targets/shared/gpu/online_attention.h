/// Attention in one pass over the keys: no row of scores is ever whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/arith/proof_budget.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/attention_stages.h"

namespace tw::gpu {

/// What a block and a thread have of it.
struct OnlineTiles {
  int64_t rows = 64, own_rows = 4;     ///< of a block and of a thread
  int64_t keys = 64, own_columns = 4;  ///< of a tile, and of the result for a thread

  int64_t threads_x(Attention const& attention) const { return attention.columns / own_columns; }
  int64_t threads_y() const { return rows / own_rows; }
};

/// Whether the tiles divide among threads, and fit the target's blocks and shared memory.
bool fits(Attention const& attention, OnlineTiles const& tiles, Target const& target);

/// A block has some rows of queries and runs over tiles of keys (`rolling_update`): a thread has
/// some scores of the tile, and some of the result in registers, with the greatest and the sum of
/// its rows; scores and powers of a tile, and the tiles of Q, K and V, are in shared memory. At
/// most 25 lines, by macros. Nothing: a step is refused.
std::optional<Schedule> online_attention(ir::Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Attention const& attention, OnlineTiles const& tiles,
                                         ProofBudget budget);

}  // namespace tw::gpu
