/// Random damage to a text, for tests that feed readers rubbish.
#pragma once

#include <string>

#include "engine/support/base/random.h"

namespace tw::testing {

/// One to four edits: bytes flipped, pieces cut, doubled or moved, digits blown up.
inline std::string mutate(std::string text, Rng& rng) {
  for (int64_t edits = rng.between(1, 4); edits > 0 && !text.empty(); --edits) {
    auto at = size_t(rng.below(int64_t(text.size())));
    auto length = size_t(rng.between(1, 12));
    switch (rng.below(6)) {
      case 0:
        text[at] = char(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, text.substr(size_t(rng.below(int64_t(text.size()))), length));
        break;
      case 4:
        text.insert(at, "99999999999999999999");
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

}  // namespace tw::testing
