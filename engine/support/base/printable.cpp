#include "engine/support/base/printable.h"

#include <cstdint>

namespace tw {

size_t printable(std::string_view text) {
  auto byte = [&](size_t i) { return uint8_t(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 32 && byte(0) != 127 ? 1 : 0;
  size_t size = byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                : byte(0) >= 0xE0                 ? 3
                : byte(0) >= 0xC2                 ? 2
                                                  : 0;
  if (byte(0) >= 0xF5 || size == 0 || text.size() < size) return 0;
  uint32_t letter = byte(0) & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    letter = letter << 6 | (byte(i) & 0x3F);
  }
  bool direction = (letter >= 0x200E && letter <= 0x200F) ||
                   (letter >= 0x2028 && letter <= 0x202E) || (letter >= 0x2066 && letter <= 0x2069);
  bool exists = letter >= 0xA0 && (size < 3 || letter >= 0x800) &&
                (size < 4 || (letter >= 0x10000 && letter < 0x110000)) &&
                (letter < 0xD800 || letter > 0xDFFF);
  return exists && !direction ? size : 0;
}

}  // namespace tw
