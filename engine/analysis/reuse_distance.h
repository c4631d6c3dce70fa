/// How far apart the uses of lines are: the number of other lines that were used between two uses
/// of the same one, its distance in the stack of an LRU cache. A cache of N lines that may put
/// any line anywhere answers exactly the uses whose distance is less than N.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tw::analysis {

/// Uses by their distance: each distance below 16 alone, then eight ranges per power of two.
struct ReuseHistogram {
  int64_t first = 0;          ///< uses of lines that were never used before
  std::vector<int64_t> uses;  ///< by range
  int64_t total() const;
  /// The range of a distance, and the least distance of a range.
  static size_t range_of(int64_t distance);
  static int64_t least_of(size_t range);
  void add(int64_t distance);
  /// The share of all uses that a cache of so many lines would have answered; a range that it cuts
  /// counts in part. 0 where there are none.
  double answered_within(int64_t lines) const;
};

class ReuseDistances {
public:
  /// Of this use; -1: the line was never used before.
  int64_t use(int64_t line);

private:
  void add(size_t time, int by);
  int64_t before(size_t time) const;
  void compact();

  std::unordered_map<int64_t, size_t> last_;  ///< time of each line's last use
  std::vector<int32_t> marks_;                ///< a Fenwick tree: 1 at each line's last use
  size_t now_ = 0;
};

}  // namespace tw::analysis
