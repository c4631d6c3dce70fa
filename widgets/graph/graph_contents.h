// SPDX-License-Identifier: GPL-3.0-or-later
/// What a group of a graph is said to have in it, and which others have the same.
#pragma once

#include "widgets/graph/graph_cards.h"

namespace tw::graph {

/// Fills `words`, `contents`, `alike` and `form` of each group. Cards are one a member still, in
/// the order of the members; `edges` lead from card to card, those from -1 are inputs.
void describe_groups(Cards& made, std::vector<std::pair<int, int>> const& edges);

/// Groups that are built like one, it among them, in the order of the groups. None holds another:
/// of two such the outer one is there, unless the inner one was asked for.
std::vector<int> built_alike(Cards const& cards, int group);
/// "conv2d, relu, conv2d, add": of a group's nodes, in their order; of very many the first ones.
QString operator_words(Cards const& cards, int group);
/// The same by its key; empty: there is none. `cards`: null: nothing is laid out.
QString operators_of(Cards const* cards, std::string const& key);

/// "19 kernels in 24 runs".
QString kernel_words(session::GraphView const& graph);

}  // namespace tw::graph
