/// What a kernel's plain run takes, and how much of that is too much.
#pragma once

#include <string>

#include "engine/te/te.h"

namespace tw::session {

struct KernelSize {
  int64_t iterations = 0;  ///< of its innermost statements
  int64_t bytes = 0;       ///< of all its tensors
};
KernelSize size_of(te::Kernel const& kernel);

/// Error kernel_too_large: more than may be run or held for a comparison.
Status verify_size(te::Kernel const& kernel);
/// Error too_much_memory: tensors of that many bytes together, here and on a device, would leave
/// this machine nothing. `what` has them: "the inputs of mlp".
Status verify_memory(std::string const& what, int64_t bytes);

}  // namespace tw::session
