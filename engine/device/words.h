/// Words that come from another machine, or from a kernel's author.
#pragma once

#include <string>
#include <string_view>

namespace tw {

/// One line without control characters, those of a terminal among them, not longer than `most`
/// bytes. What is no UTF-8 is replaced.
std::string one_line(std::string_view words, size_t most = 2000);

}  // namespace tw
