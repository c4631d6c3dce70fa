/// What one instruction alone shows.
#pragma once

#include "targets/vta/lint/lint.h"

namespace tw::vta {

void find_single(Configuration const& configuration, std::span<Instruction const> stream,
                 std::vector<LintFinding>& findings);

}  // namespace tw::vta
