// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the accesses that are played.
#pragma once

#include <string>

namespace tw::journal {

/// Where in the kernel they begin: 0 to 1.
struct FilmFrom {
  double share = 0;
};
/// Which of them is shown, from 0.
struct FilmFrame {
  int frame = 0;
};

/// What cells of the tensors show.
struct FilmShows {
  std::string what;   ///< "places" of lines, or their "misses" so far
  std::string level;  ///< of this cache; empty: of all, added up
};

}  // namespace tw::journal
