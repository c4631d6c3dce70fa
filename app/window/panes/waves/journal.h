// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the waves of a launch.
#pragma once

namespace tw::journal {

/// One of the kernel's launches, from 1.
struct ChooseLaunch {
  int launch = 1;
};

/// What the launch would be with other blocks of the same threads.
struct WavesIf {
  int threads = 0, registers = 0;
  int shared_bytes = 0;
};
struct WavesAsIs {};

}  // namespace tw::journal
