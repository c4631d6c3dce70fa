/// Caches as a program's accesses find them: levels of sets, each of which drops the line that was
/// not used for longest.
///
/// Misses are told apart as Hill and Smith do ("Evaluating associativity in CPU caches", 1989):
/// cold, of capacity, of conflict.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/hardware/hardware.h"

namespace tw::analysis {

struct CacheShape {
  std::string name;
  int64_t bytes = 0;
  int line_bytes = 64;
  int ways = 8;
  int64_t sets() const { return bytes / (int64_t(line_bytes) * ways); }
};
/// Machines do not say their ways: the least number from eight on that makes the number of sets a
/// power of two, since addresses choose sets by their bits; sixteen where none up to 32 does. A
/// level that several units share counts whole.
std::vector<CacheShape> cache_shapes(Hardware const& hardware);

enum class Miss : uint8_t { kNone, kCold, kCapacity, kConflict };

class CacheModel {
public:
  explicit CacheModel(std::vector<CacheShape> levels);

  struct Answer {
    int level = 0;  ///< the nearest that had the line; as many as there are caches: main memory
    Miss miss = Miss::kNone;  ///< of the farthest cache that did not have it
  };
  /// The line comes into every level that did not have it.
  Answer touch(int64_t line);
  /// The nearest level that has it; as many as there are caches: none.
  int nearest(int64_t line) const;
  /// Is told of every line that another one drove out of a level, after that.
  std::function<void(int64_t line)> dropped = {};

  std::vector<CacheShape> const& levels() const { return shapes_; }

private:
  /// Lines by their last use, with room for so many.
  struct Recent {
    size_t room = 0;
    std::list<int64_t> order = {};  ///< the last used one first
    std::unordered_map<int64_t, std::list<int64_t>::iterator> places = {};
    bool has(int64_t line) const { return places.contains(line); }
    /// The line that has to go for it; -1: none does.
    int64_t use(int64_t line);
  };
  struct Level {
    std::vector<Recent> sets;
    Recent anywhere;  ///< the same size, without sets
    Recent& set_of(int64_t line) { return sets[size_t(line) % sets.size()]; }
    Recent const& set_of(int64_t line) const { return sets[size_t(line) % sets.size()]; }
  };
  std::vector<CacheShape> shapes_;
  std::vector<Level> levels_;
  std::unordered_set<int64_t> seen_;
};

}  // namespace tw::analysis
