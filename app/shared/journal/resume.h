/// Work that was left, taken up again, as an action.
#pragma once

#include <string>

namespace tw::journal {

/// A model with the steps that were kept of it when it was left; without any, the model alone.
struct ResumeWork {
  std::string source;  ///< a file, a project or "sample:NAME"
};

}  // namespace tw::journal
