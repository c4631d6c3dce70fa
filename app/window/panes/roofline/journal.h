// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the roofline.
#pragma once

#include <string>

namespace tw::journal {

/// Whose points stand below the roofs.
struct RooflineOf {
  std::string what;  ///< "kernel": its steps; "model": its kernels
};

/// The machine with other roofs or caches, modelled.
struct RooflineIf {
  std::string changes;  ///< "L2=2MB, DRAM=40GB/s"; empty: as it is
};

}  // namespace tw::journal
