// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the accesses of a warp.
#pragma once

#include <string>

namespace tw::journal {

/// One access of the kernel's launches.
struct ChooseAccess {
  std::string tensor;
  std::string way;     ///< "load" or "store"
  std::string number;  ///< of those, from 1; empty: the first
};
/// The iteration of a loop, or the warp of the block.
struct PutAccess {
  std::string loop;
  int iteration = 0;
};
/// An iteration of all loops around the access that are none of blocks, the innermost the fastest.
struct PutIteration {
  double iteration = 0;
};
struct PlayAccess {
  std::string how;  ///< "play" or "pause"
};
struct RingLane {
  int lane = 0;
};

}  // namespace tw::journal
