/// Bytes as text (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tw {

std::string to_base64(std::string_view bytes);
/// Empty: a character, a length or a padding that is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace tw
