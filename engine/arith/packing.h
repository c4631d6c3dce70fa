/// Numbers that lie in rows with gaps between them, moved together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"

namespace tw::arith {

/// low + digit * step + ..., where each digit counts to less than its `count` and the rest of a
/// number stays below each step: 64*a + b with a < 2 and b < 4 has the digits {64, 2}, {1, 4}.
struct Packing {
  struct Digit {
    int64_t step = 1, count = 1;
    bool operator==(Digit const&) const = default;
  };
  int64_t low = 0;
  std::vector<Digit> digits;  ///< the longest step first, the last one is 1

  /// How many numbers there are; they are packed to 0 ... size - 1.
  int64_t size() const;
  /// Of a number above `low`.
  Expr place_of(Expr const& above, Ranges const& ranges) const;
};

/// All of `numbers` while the variables with a range take all of their values; the least of the
/// packings that their factors show. No answer where a bound is not known.
std::optional<Packing> packing_of(std::vector<Linear> const& numbers, Ranges const& ranges);

}  // namespace tw::arith
