#include "engine/hardware/hardware.h"

#include "engine/support/base/hash.h"

namespace tw {

uint64_t fingerprint(Hardware const& hardware) {
  Hasher hasher;
  hasher.text(hardware.target)
      .text(hardware.name)
      .text(hardware.triple)
      .text(hardware.cpu)
      .text(hardware.features);
  hasher.number(uint64_t(hardware.vector_bytes)).number(uint64_t(hardware.cores));
  hasher.number(uint64_t(hardware.memory_bytes >> 30));  // the exact size changes from boot to boot
  for (CacheLevel const& cache : hardware.caches) {
    hasher.number(uint64_t(cache.level)).number(uint64_t(cache.bytes));
    hasher.number(uint64_t(cache.shared_by));
  }
  return hasher.finish();
}

CacheLevel const* cache_level(Hardware const& hardware, int level) {
  for (CacheLevel const& cache : hardware.caches) {
    if (cache.level == level) return &cache;
  }
  return nullptr;
}

}  // namespace tw
