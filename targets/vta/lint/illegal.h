/// What no implementation can run, or what each runs as it happens to.
#pragma once

#include "targets/vta/lint/lint.h"
#include "targets/vta/prover/footprint.h"

namespace tw::vta {

/// "impossible_instruction", "not_in_design", "index_overflow", "unloaded_uops", "no_finish",
/// "alu_reuse". Gives what each
/// instruction touches, which is nothing where it cannot be.
std::vector<Footprint> find_illegal(Configuration const& configuration,
                                    std::span<Instruction const> stream,
                                    std::span<std::byte const> dram,
                                    std::vector<LintFinding>& findings);

}  // namespace tw::vta
