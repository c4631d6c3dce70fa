/// Description of a machine that runs kernels: units, memory levels and measured rates. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// Units of one kind, which run the tasks of a kernel side by side.
struct Unit {
  std::string name = "core";  ///< in words for people, one of them: "core", "multiprocessor"
  int count = 1;              ///< that this process may use
  int vector_bytes = 16;      ///< widest vector register
  int vector_registers = 16;
  bool operator==(Unit const&) const = default;
};

/// One level of memory.
struct MemoryLevel {
  std::string name;     ///< "L1", "L2", "L3", "DRAM"
  int64_t bytes = 0;    ///< of one instance; 0: not known
  int line_bytes = 64;  ///< what moves at once between it and the level behind it
  int shared_by = 1;    ///< units that share one instance
  bool cache = true;    ///< keeps copies of what lies behind it, by itself
  bool operator==(MemoryLevel const&) const = default;
};

struct Hardware {
  /// The kind of target that runs kernels here, a name of `target_table()`; empty in what older
  /// devices say of themselves.
  std::string target;
  std::string name;  ///< as the machine calls itself: "EPYC 9354"
  /// What the target's code generator must know, in the target's own words.
  std::map<std::string, std::string> code;
  std::vector<Unit> units = {Unit{}};  ///< never empty; the first one runs kernels
  std::vector<MemoryLevel> memories;   ///< from the nearest to the farthest, main memory the last
  bool operator==(Hardware const&) const = default;

  Unit const& unit() const { return units.front(); }
  /// A word of `code`; empty where it says nothing.
  std::string word(std::string const& key) const;
  /// Those of `memories` that are caches: they are the nearest ones.
  std::span<MemoryLevel const> caches() const;
  /// Null: there is none of this name.
  MemoryLevel const* memory(std::string_view level_name) const;
  int64_t main_memory_bytes() const;  ///< 0: not known
  int line_bytes() const;             ///< of the nearest memory
};

/// A measured rate; `spread` is (median - best) / best of the samples, in time. (Of one unit, and
/// of all.)
struct Rate {
  double one_core = 0;
  double all_cores = 0;
  double spread = 0;
  bool operator==(Rate const&) const = default;
};

/// Peak arithmetic in GFLOP/s; a fused multiply-add is two.
struct ComputeRoof {
  std::string name;  ///< for people: "FMA f32"
  std::string unit;  ///< what computes: "vector", "scalar", "matrix"
  std::string type;  ///< of the elements: "f32"
  Rate rate;
  bool operator==(ComputeRoof const&) const = default;
};

/// The bandwidth of a memory level in GB/s (1e9 bytes): reads alone, and two reads to one write.
struct MemoryRoof {
  std::string name;         ///< of a `MemoryLevel`
  int64_t working_set = 0;  ///< bytes that one core went through
  Rate load;
  Rate triad;
  bool operator==(MemoryRoof const&) const = default;
};

/// What the machine can do at best, in GFLOP/s and GB/s.
struct Roofs {
  std::vector<ComputeRoof> compute;  ///< of those for one type, the fastest first
  std::vector<MemoryRoof> memory;    ///< from the nearest to the farthest; the last is main memory
  bool operator==(Roofs const&) const = default;

  /// Of the fastest unit for elements of `type`; zeros where nothing was measured.
  Rate best(std::string_view type) const;
  Rate of(std::string_view unit, std::string_view type) const;
};

/// Of a worker that may use only so much of main memory.
void set_main_memory(Hardware& hardware, int64_t bytes);

/// A stable number that names the machine (not its load): the key of cached measurements.
uint64_t fingerprint(Hardware const& hardware);

}  // namespace tw
