// SPDX-License-Identifier: GPL-3.0-or-later
/// A tall layout cut between its layers and set in columns, as a text is: the next column goes on
/// where the one before it ends.
#pragma once

#include <utility>

#include "engine/session/views/graph_layout.h"

namespace tw::session {

/// As many columns as show it largest in a room of this size, at most at its own size; a layout
/// that is seen at its own size, or is largest in one column, stays. Lines to the next column go
/// out below one and in above the other. O(columns * layers * log + points).
void flow_in_columns(Layout& layout, double room_width, double room_height,
                     LayoutOptions const& options = {});

}  // namespace tw::session
