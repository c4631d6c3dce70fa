/// A report, as an action.
#pragma once

#include <string>

namespace tw::journal {

/// What was made of the kernel or of the model, as an HTML file.
struct SaveReport {
  std::string what;  ///< "kernel" or "model"
  std::string file;
};

}  // namespace tw::journal
