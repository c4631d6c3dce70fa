/// What a template leaves open, before anybody makes a space of it.
#pragma once

#include <vector>

#include "engine/backend/backend.h"
#include "engine/schedule/open_script.h"

namespace tw {

/// Of the target's own template, or of a script, at its rule. `threads`: that points are tried
/// with. Errors: those of the template; not_legal, of a script whose steps are refused.
Result<std::vector<Knob>> knobs_by_rule(ir::Program const& program, Backend const& backend,
                                        OpenScript const* script, int threads = 0);

}  // namespace tw
