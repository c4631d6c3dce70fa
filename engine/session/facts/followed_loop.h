/// Which loop is selected after something was done.
#pragma once

#include "engine/session/values.h"

namespace tw::session {

/// After a step the loop that it made or worked on: the inner one of a split, what a fuse gave.
/// After a jump the loop of the same name, or the one that it was split from or into. -1: no loop
/// of the new nest has to do with the selected one, as in another kernel.
int followed_loop(Snapshot const& before, Snapshot const& after, int selected);

}  // namespace tw::session
