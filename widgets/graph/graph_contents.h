// SPDX-License-Identifier: GPL-3.0-or-later
/// What a group of a graph is said to have in it, and which others have the same.
#pragma once

#include "widgets/graph/graph_cards.h"

namespace tw::graph {

/// Fills `words`, `contents` and `alike` of each group. Cards are one a member still, in the order
/// of the members; `edges` lead from card to card, those from -1 are inputs.
void describe_groups(Cards& made, std::vector<std::pair<int, int>> const& edges);

/// "19 kernels in 24 runs".
QString kernel_words(session::GraphView const& graph);

}  // namespace tw::graph
