/// What is stored of OUT though it need not be what ACC holds.
#pragma once

#include "targets/vta/lint/lint.h"
#include "targets/vta/prover/footprint.h"
#include "targets/vta/prover/happens_before.h"

namespace tw::vta {

/// "stale_out", "out_after_reset", "unwritten_out", by elements. `order`: null where there is none;
/// what stands before a store counts as done before it then.
void find_old_outputs(Configuration const& configuration, std::span<Instruction const> stream,
                      std::span<Footprint const> footprints, TokenOrder const* order,
                      std::vector<LintFinding>& findings);

}  // namespace tw::vta
