/// Characters of text that others wrote, on their way to a terminal or a sentence.
#pragma once

#include <cstddef>
#include <string_view>

namespace tw {

/// The bytes of the UTF-8 character that `text`, which is not empty, begins with; 0 where it begins
/// with none, or with one that steers a terminal (below U+0020, U+007F to U+009F) or the direction
/// of text.
size_t printable(std::string_view text);

}  // namespace tw
