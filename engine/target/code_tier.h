/// What is asked of a code generator besides the kernel.
#pragma once

#include <cstdint>

namespace tw {

/// How much it does for the speed of the code, and for the safety.
enum class CodeTier : uint8_t {
  kFast,     ///< the least that is good code: for searching and for every step by hand
  kFull,     ///< all that it can: for finalists
  kChecked,  ///< slow: every access is checked, and whether what is read was written
};

/// Whether the texts that people read are made, too.
enum class CodeTexts : uint8_t { kNone, kAll };

}  // namespace tw
