/// What writing, reading and checking a description share.
#pragma once

#include <string>
#include <string_view>

#include "engine/runtime/package/description.h"

namespace tw::package {

inline constexpr std::string_view kRegions[] = {"nothing", "input", "output", "parameters",
                                                "arena"};
inline constexpr std::string_view kChecksumKey = "\"checksum_of_the_above\":";

/// [region, at, bytes]
std::string text_of(Buffer const& buffer);
std::string hexadecimal(uint64_t value);
/// Of a description's text above its last line.
std::string checksum_text(std::string_view text);

/// Sizes, places and what belongs to what. Errors: bad_package.
Status check(Description const& whole);

}  // namespace tw::package
