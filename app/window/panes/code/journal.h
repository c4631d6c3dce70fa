// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with the text of a kernel.
#pragma once

#include <string>

namespace tw::journal {

/// A stage of lowering in the code panel.
struct ShowPass {
  std::string pass;
};
struct MarkChanges {
  std::string state;  ///< "on" or "off"
};

/// Any stage: the expression, a pass, a listing.
struct ShowStage {
  std::string stage;
};
/// How code is shown.
struct SwitchCode {
  std::string name;   ///< of a `CodeSwitch`
  std::string state;  ///< "on" or "off"
};
struct ShowHotLoop {};
/// What is kept of kernels' code on the disk: settings_desk.cpp.
struct EmptyCache {};
struct LimitCache {
  int megabytes = 0;
};

}  // namespace tw::journal
