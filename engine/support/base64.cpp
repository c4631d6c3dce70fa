#include "engine/support/base64.h"

#include <array>
#include <cstdint>

namespace tw {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = int8_t(i);
  return values;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  static std::array<int8_t, 256> const kValues = make_values();
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t group = 0;
    size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    for (size_t k = 0; k < 4; ++k) {
      int value = k < digits ? kValues[static_cast<unsigned char>(text[i + k])] : 0;
      if (value < 0) return std::nullopt;
      group = group << 6 | uint32_t(value);
    }
    for (size_t k = 0; k + 1 < digits; ++k) bytes += char(group >> (16 - 8 * k) & 255);
  }
  return bytes;
}

}  // namespace tw
