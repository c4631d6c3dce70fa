/// Who touched which element last, among those that run at once: two that meet in an element which
/// one of them writes, with nothing between that orders them, are a race.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw::ir {

/// An access, and what orders it: launches come one after the other; within one, a block's epochs,
/// between which stand barriers.
struct Touch {
  static constexpr int32_t kOfNoRole = INT32_MAX;
  int32_t launch = 0;
  int32_t block = 0;
  int32_t epoch = 0;   ///< of the block
  int32_t thread = 0;  ///< 0: none, no access
  int64_t step = 0;    ///< the statement's number in the run
  bool writes = false;
  int32_t arrivals = kOfNoRole;  ///< of its thread before it, where threads have roles
  bool meets(Touch const& other) const {
    return thread != 0 && thread != other.thread && launch == other.launch &&
           (block != other.block || epoch == other.epoch) && (writes || other.writes);
  }
};

/// What a thread of a role knows to have happened, by phases that it has waited for: of each thread
/// all up to that number of arrivals, and of itself what comes next. Empty: it has no role.
struct Seen {
  int32_t first = 0;  ///< number of the first thread
  std::vector<int32_t> arrivals = {};
  bool has(Touch const& earlier) const {
    auto at = size_t(earlier.thread - first);
    return at < arrivals.size() && arrivals[at] >= earlier.arrivals;
  }
  void add(Seen const& other);
};

class RaceRecord {
public:
  /// A new instance of a tensor: nobody has touched it.
  void forget(NDArray const& tensor) { tensors_.erase(tensor.data()); }
  /// Records the access; the earlier one that it races with, which its thread has not `seen`.
  std::optional<Touch> touch(NDArray const& tensor, int64_t element, Touch const& now,
                             Seen const& seen);

private:
  /// Blocks run one after the other here. Of the readers in the present block's epoch two different
  /// threads are enough, as one of them is not the next writer; of earlier blocks one is.
  struct Cell {
    Touch write, earlier_block;
    std::array<Touch, 2> reads;
  };
  static void read(Cell& cell, Touch const& now);
  std::unordered_map<void const*, std::vector<Cell>> tensors_;
};

}  // namespace tw::ir
