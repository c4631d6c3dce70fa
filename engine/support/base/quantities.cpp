#include "engine/support/base/quantities.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tw {
namespace {

std::string fixed(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), size_t(length)};
}

}  // namespace

std::string number_text(double value) {
  // What rounds up to the next power of ten has one digit less behind the point.
  double magnitude = std::fabs(value);
  return fixed(value, magnitude >= 99.95    ? 0
                      : magnitude >= 9.995  ? 1
                      : magnitude >= 0.9995 ? 2
                                            : 3);
}

std::string duration_text(double seconds) {
  double magnitude = std::fabs(seconds);
  for (auto [unit, scale] : {std::pair{"s", 1.0}, {"ms", 1e3}, {"µs", 1e6}})
    if (magnitude * scale >= 0.9995) return number_text(seconds * scale) + " " + unit;
  return fixed(seconds * 1e9, 0) + " ns";
}

std::string milliseconds_text(double ms) { return duration_text(ms * 1e-3); }

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fixed(bytes, 0) + " B";
  char const* unit = "KB";
  double value = bytes / 1024;
  for (char const* larger : {"MB", "GB", "TB"}) {
    if (value < 1023.5) break;
    value /= 1024;
    unit = larger;
  }
  return fixed(value, value < 9.95 ? 1 : 0) + " " + unit;
}

std::pair<std::string, std::string> bytes_apart(double one, double other) {
  std::pair texts(bytes_text(one), bytes_text(other));
  if (one != other && texts.first == texts.second)
    texts = {fixed(one, 0) + " B", fixed(other, 0) + " B"};
  return texts;
}

std::string speed_text(double billions, std::string const& unit) {
  return number_text(billions) + " " + unit;
}

std::string many_text(double count) {
  static char const* const kLetters[] = {"", " k", " M", " G", " T"};
  size_t letter = 0;
  while (std::fabs(count) >= 999.5 && letter + 1 < std::size(kLetters)) count /= 1000, ++letter;
  if (letter == 0 && count == std::floor(count)) return fixed(count, 0);
  return number_text(count) + kLetters[letter];
}

std::string count_text(int64_t count, std::string const& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string speedup_text(double speedup) {
  if (speedup > 0.995 && speedup < 1.005) return "as fast";
  return speedup > 1 ? number_text(speedup) + " times faster"
                     : number_text(1 / speedup) + " times slower";
}

std::string percent_text(double share) {
  int digits = share >= 0.0995 ? 0 : share >= 0.000995 || share <= 0 ? 1 : 2;
  return fixed(share * 100, digits) + " %";
}

}  // namespace tw
