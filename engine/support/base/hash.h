/// A 64-bit content hash (FNV-1a with a final mix): for cache keys and equality shortcuts.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace tw {

class Hasher {
public:
  Hasher& bytes(void const* data, size_t size) {
    auto const* p = static_cast<unsigned char const*>(data);
    for (size_t i = 0; i < size; ++i) state_ = (state_ ^ p[i]) * 0x100000001B3ull;
    return *this;
  }
  Hasher& text(std::string_view s) { return number(s.size()).bytes(s.data(), s.size()); }
  Hasher& number(uint64_t v) {
    state_ = (std::rotl(state_, 23) ^ v) * 0x9E3779B97F4A7C15ull;
    return *this;
  }
  uint64_t finish() const {
    uint64_t z = state_;
    z = (z ^ (z >> 33)) * 0xFF51AFD7ED558CCDull;
    z = (z ^ (z >> 33)) * 0xC4CEB9FE1A85EC53ull;
    return z ^ (z >> 33);
  }

private:
  uint64_t state_ = 0xCBF29CE484222325ull;
};

}  // namespace tw
