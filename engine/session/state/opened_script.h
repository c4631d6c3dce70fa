/// The script of a state as what a search may begin from.
#pragma once

#include <memory>

#include "engine/history/history.h"
#include "engine/schedule/open_script.h"

namespace tw::session {

/// The steps that led to a state, with their numbers open; null for 0, which is the target's
/// template. `history` may be null. Errors: no_kernel, unknown_node, refused_here, nothing_open.
Result<std::shared_ptr<OpenScript const>> opened_script(History const* history, int from);

}  // namespace tw::session
