/// What the fuzz targets share: the entry that libFuzzer and the replaying program call, and what
/// is asked of every error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/support/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size);

namespace tw::fuzz {

inline std::string_view text_of(uint8_t const* data, size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}

/// How many inputs were read without an error: shows that a corpus still reaches behind the parser.
inline int64_t accepted = 0;

/// An error has a stable code and a sentence.
inline void check_sentence(Error const& error) {
  TW_ASSERT(!error.code.empty() && !error.message.empty(), "an error says what is wrong");
}

}  // namespace tw::fuzz
