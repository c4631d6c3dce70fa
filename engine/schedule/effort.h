/// How long a check may look for a proof.
#pragma once

#include <cstdint>

namespace tw {

/// Both count work, so that what was accepted once is accepted again on any machine. While a person
/// waits a clock ends the search, too: then the answer is "undecided", never another one.
enum class Effort : uint8_t { kWork, kInteractive };

}  // namespace tw
