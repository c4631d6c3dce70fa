/// What the loops around one stage of a program are for, where each is an iterator by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw::gpu {

struct StageLoops {
  std::vector<std::string> spatial, reduce;  ///< outermost first; sums innermost
  int64_t elements = 1, terms = 1;           ///< iterations of each kind together
};

/// Nothing: a stage of another form, or of extents that are not known.
std::optional<StageLoops> stage_loops(ir::BlockSite const& site);

/// Terms of the sum side by side are elements side by side of what most of its reads are about: the
/// read of most dimensions.
bool sums_along_rows(ir::Block const& block);

}  // namespace tw::gpu
