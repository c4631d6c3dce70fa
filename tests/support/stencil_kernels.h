/// Small stencils at random: what rows can be kept of.
#pragma once

#include <fmt/format.h>

#include <string>

#include "engine/support/base/random.h"

namespace tw::testing {

/// One to two producers, a window over rows (and columns) of some stride, as a sum, a maximum or
/// terms one by one, with padding or without.
inline std::string stencil(Rng& rng) {
  int64_t window = rng.between(2, 4), stride = rng.between(1, 3), rows = rng.between(3, 6);
  int64_t columns = rng.between(2, 5), height = (rows - 1) * stride + window;
  bool padded = rng.below(2) == 0, twice = rng.below(3) == 0, wide = rng.below(2) == 0;
  std::string text = fmt::format("kernel stencil(X: f32[{}, {}]) -> Y\n", height, columns + 1);
  text += padded ? fmt::format(
                       "  A[y in {0}, x in {1}] = select(1 <= y && y < {2}, X[y-1, x], "
                       "0.5)\n",
                       height, columns + 1, height - 1)
                 : fmt::format("  A[y in {}, x in {}] = X[y, x] * 2.0\n", height, columns + 1);
  if (twice)
    text += fmt::format("  B[y in {}, x in {}] = A[y, x] + X[y, x]\n", height, columns + 1);
  std::string from = twice ? "B" : "A";
  // The window slides from the first rows to the last ones, or back.
  std::string at = rng.below(3) == 0 ? fmt::format("{}-y*{}", (rows - 1) * stride, stride)
                                     : fmt::format("y*{}", stride);
  switch (rng.below(3)) {
    case 0:
      return text + fmt::format("  Y[y in {}, x in {}] = sum[r in {}] {}[{}+r, x{}]\n", rows,
                                columns, window, from, at, wide ? "+1" : "");
    case 1:
      return text + fmt::format("  Y[y in {}, x in {}] = max[r in {}, s in 2] {}[{}+r, x+s]\n",
                                rows, columns, window, from, at);
    default:
      return text + fmt::format("  Y[y in {}, x in {}] = {}[{}, x] - {}[{}+{}, x]\n", rows, columns,
                                from, at, from, at, window - 1);
  }
}

}  // namespace tw::testing
