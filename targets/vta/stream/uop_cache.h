/// Which micro-op kernels lie where in the accelerator's own memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tw::vta {

/// Kernels lie in one piece each. Where there is no room, those go that were not used for longest.
class UopCache {
public:
  explicit UopCache(int64_t depth) : depth_(depth) {}

  /// Where the kernel lies, and that it was used now; none: it must be placed.
  std::optional<int64_t> find(int64_t kernel);
  /// Makes room for a kernel of `size` micro-ops (1..depth), and says where.
  int64_t place(int64_t kernel, int64_t size);

private:
  struct Resident {
    int64_t kernel = 0, size = 0, last_use = 0;
  };
  std::optional<int64_t> free_place(int64_t size) const;
  int64_t least_recent_place(int64_t size) const;
  void evict(int64_t begin, int64_t end);

  int64_t depth_, clock_ = 0;
  int64_t used_ = 0;
  std::map<int64_t, Resident> by_place_;
  std::map<int64_t, int64_t> place_of_;
};

}  // namespace tw::vta
