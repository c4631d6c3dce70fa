// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the accesses that are played.
#pragma once

namespace tw::journal {

/// Where in the kernel they begin: 0 to 1.
struct FilmFrom {
  double share = 0;
};
/// Which of them is shown, from 0.
struct FilmFrame {
  int frame = 0;
};

}  // namespace tw::journal
