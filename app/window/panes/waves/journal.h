// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the waves of a launch.
#pragma once

namespace tw::journal {

/// One of the kernel's launches, from 1.
struct ChooseLaunch {
  int launch = 1;
};

}  // namespace tw::journal
