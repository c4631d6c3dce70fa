/// Lines of text as words with their columns, and whole numbers out of words: what the readers of
/// configurations, streams and kernels share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tw::vta {

struct Word {
  std::string_view text;
  int column = 1;  ///< 1-based
};

/// What stands between blanks, up to "#", which begins a comment.
std::vector<Word> words_of(std::string_view line);

/// Decimal or "0x" hexadecimal, all of the word; none: it is no number, or needs more than 64 bits.
std::optional<uint64_t> whole_number(std::string_view word);
/// Decimal with or without a minus.
std::optional<int64_t> signed_number(std::string_view word);

/// "name=value"; none: there is no "=", or nothing before it.
struct NameAndValue {
  std::string_view name, value;
};
std::optional<NameAndValue> name_and_value(std::string_view word);

}  // namespace tw::vta
