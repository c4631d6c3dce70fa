// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the plane of iterations.
#pragma once

#include <string>

namespace tw::journal {

/// A block and two of its axes.
struct PlaneOf {
  std::string block, right, down;
};

}  // namespace tw::journal
