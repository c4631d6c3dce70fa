/// What tokens do otherwise where they are counted in eight bits, in queues that outlive a run, or
/// not at all.
#pragma once

#include "targets/vta/lint/lint.h"
#include "targets/vta/prover/happens_before.h"

namespace tw::vta {

/// "token_depth", "later_token", "left_over_token", "deadlock".
void find_tokens(Configuration const& configuration, TokenOrder const& order,
                 std::vector<LintFinding>& findings);

}  // namespace tw::vta
