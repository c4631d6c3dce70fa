/// Which part of each tensor the body of a loop works on.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/analysis/touched.h"
#include "engine/ir/program.h"

namespace tw::analysis {

/// By the tensors' names: what one iteration of the loop reaches (in the middle of the loops
/// around); without a loop, what the whole program does. A tensor that is allocated inside of a
/// loop counts once, as in `Locality`.
std::map<std::string, Touched> tensor_parts(ir::Program const& program,
                                            std::optional<ir::LoopId> loop, int64_t line_bytes);

}  // namespace tw::analysis
