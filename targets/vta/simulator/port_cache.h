/// The processor's cache, through which the port reads main memory.
#pragma once

#include <vector>

#include "targets/vta/hardware/instruction.h"

namespace tw::vta {

/// Which bytes of main memory the cache holds: those that were touched last, line by line.
class PortCache {
public:
  /// For addresses from `begin` to `end`.
  PortCache(int64_t bytes, int64_t begin, int64_t end);
  /// Touches bytes. How many of them the cache did not hold.
  int64_t touch(int64_t address, int64_t bytes);

private:
  static constexpr int64_t kLine = 512;  ///< several of hardware's: rows are at least as long
  struct Line {
    int32_t before = -1, after = -1;  ///< in the order of their last touch
    bool held = false;
  };
  void take_out(int32_t line);
  void put_first(int32_t line);

  int64_t begin_;
  std::vector<Line> lines_;
  int32_t first_ = -1, last_ = -1;
  int64_t room_;  ///< lines
};

/// Of each instruction's load, the bytes that come from main memory itself, where instructions run
/// in their order and the cache held nothing of them before. Stores leave what they write there.
std::vector<int64_t> missed_bytes(Configuration const& configuration,
                                  std::span<Instruction const> stream, int64_t cache_bytes);

}  // namespace tw::vta
