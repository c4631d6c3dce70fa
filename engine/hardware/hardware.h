/// Description of a machine that runs kernels: units, memory levels and measured rates. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// One level of cache, data or unified.
struct CacheLevel {
  int level = 0;      ///< 1, 2, 3
  int64_t bytes = 0;  ///< of one instance
  int line_bytes = 64;
  int shared_by = 1;  ///< cores that share one instance
  bool operator==(CacheLevel const&) const = default;
};

struct Hardware {
  /// The kind of target that runs kernels here, a name of `target_table()`; empty in what older
  /// devices say of themselves.
  std::string target;
  std::string name;       ///< as the machine calls itself: "AMD EPYC 9354"
  std::string triple;     ///< LLVM's: "x86_64-linux-gnu"
  std::string cpu;        ///< LLVM's name of the processor: "znver4", "x86-64-v3", "generic"
  std::string features;   ///< LLVM's feature string: "+avx2,+fma"
  int vector_bytes = 16;  ///< widest vector register
  int vector_registers = 16;
  int cores = 1;  ///< cores that this process may use
  int64_t memory_bytes = 0;
  std::vector<CacheLevel> caches;  ///< from the nearest to the farthest
  bool operator==(Hardware const&) const = default;
};

/// A measured rate; `spread` is (median - best) / best of the samples, in time.
struct Rate {
  double one_core = 0;
  double all_cores = 0;
  double spread = 0;
  bool operator==(Rate const&) const = default;
};

/// The bandwidth of a memory level in GB/s (1e9 bytes): reads alone, and two reads to one write.
struct MemoryRoof {
  std::string name;         ///< "L1", "L2", "L3", "DRAM"
  int64_t working_set = 0;  ///< bytes that one core went through
  Rate load;
  Rate triad;
  bool operator==(MemoryRoof const&) const = default;
};

/// What the machine can do at best, in GFLOP/s (a fused multiply-add is two) and GB/s.
struct Roofs {
  Rate f32_vector;
  Rate f32_scalar;
  Rate f64_vector;
  std::vector<MemoryRoof> memory;  ///< from the nearest to the farthest; the last is main memory
  bool operator==(Roofs const&) const = default;
};

/// A stable number that names the machine (not its load): the key of cached measurements.
uint64_t fingerprint(Hardware const& hardware);

/// The cache of `level`, or null.
CacheLevel const* cache_level(Hardware const& hardware, int level);

}  // namespace tw
