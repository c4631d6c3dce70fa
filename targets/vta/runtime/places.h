/// Which parts of a range of addresses are in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tw::vta {

/// Pages from the lowest free address on that has room.
class Places {
public:
  Places(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}
  std::optional<uint64_t> take(int64_t bytes);
  /// False: nothing begins there.
  bool give_back(uint64_t address);
  bool has(uint64_t address) const { return used_.contains(address); }

private:
  uint64_t begin_, end_;
  std::map<uint64_t, uint64_t> used_;  ///< begin -> end
};

}  // namespace tw::vta
