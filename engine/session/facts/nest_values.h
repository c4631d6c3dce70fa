/// What a loop nest says in single values.
#pragma once

#include <string>

#include "engine/session/values.h"

namespace tw::session {

int loops_marked(Snapshot const& now, LoopMark mark);
/// As scripts name them, the outermost first: "C.i, C.k, C.j".
std::string loop_order(Snapshot const& now);
/// How many loops run more than one stage.
int shared_loops(Snapshot const& now);

}  // namespace tw::session
