/// What a step would do, while it is only pointed at: of a drag, a dialog.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw::session {

/// What a memory with a capacity would hold after a step.
struct MemoryForecast {
  std::string memory;
  int64_t bytes = 0;  ///< of one instance
  int64_t used = 0;
  std::string words;  ///< "shared 36 of 48 KB"
  std::string parts;  ///< of the sum: "A_cache 32 KB, B_cache 4 KB"
  bool overflows() const { return used > bytes; }
};
/// What a step would do, while it is only pointed at.
struct StepPreview {
  std::shared_ptr<RefusalView const> refusal;  ///< null: it is legal
  /// Of a target with such memories, those that would hold something. Also where it is for them
  /// that the step is refused.
  std::vector<MemoryForecast> memories;
};

}  // namespace tw::session
