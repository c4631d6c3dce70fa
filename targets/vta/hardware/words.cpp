#include "targets/vta/hardware/words.h"

#include <algorithm>
#include <charconv>

namespace tw::vta {
namespace {

constexpr std::string_view kBlanks = " \t\r";

template <typename T>
std::optional<T> number(std::string_view digits, int base) {
  T value{};
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<Word> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<Word> words;
  for (size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back({line.substr(at, end - at), int(at) + 1});
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<uint64_t> whole_number(std::string_view word) {
  if (word.starts_with("0x")) return number<uint64_t>(word.substr(2), 16);
  return number<uint64_t>(word, 10);
}

std::optional<int64_t> signed_number(std::string_view word) { return number<int64_t>(word, 10); }

std::optional<NameAndValue> name_and_value(std::string_view word) {
  size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return NameAndValue{word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace tw::vta
