#include "targets/vta/runtime/places.h"

#include "targets/vta/runtime/driver.h"

namespace tw::vta {

std::optional<uint64_t> Places::take(int64_t bytes) {
  constexpr auto kPage = uint64_t(kDriverPage);
  if (bytes < 0 || uint64_t(bytes) > end_ - begin_) return std::nullopt;
  uint64_t size = (uint64_t(bytes) + kPage) / kPage * kPage;  // an empty one has an address, too
  uint64_t at = begin_;
  for (auto const& [begin, end] : used_) {
    if (size <= begin - at) break;
    at = end;
  }
  if (size > end_ - at) return std::nullopt;
  used_[at] = at + size;
  return at;
}

bool Places::give_back(uint64_t address) { return used_.erase(address) == 1; }

}  // namespace tw::vta
