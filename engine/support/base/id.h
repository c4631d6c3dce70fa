/// Typed integers, so that a loop's id is never passed for a block's.
#pragma once

#include <cstdint>
#include <functional>

namespace tw {

template <typename Tag>
struct Id {
  int32_t value = -1;
  bool valid() const { return value >= 0; }
  auto operator<=>(Id const&) const = default;
};

struct Bytes {
  int64_t count = 0;
  auto operator<=>(Bytes const&) const = default;
};

}  // namespace tw

template <typename Tag>
struct std::hash<tw::Id<Tag>> {
  size_t operator()(tw::Id<Tag> id) const noexcept { return std::hash<int32_t>()(id.value); }
};
