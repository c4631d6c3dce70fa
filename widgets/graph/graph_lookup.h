// SPDX-License-Identifier: GPL-3.0-or-later
/// What stands where in a graph that is laid out. Each takes its cards, or null where nothing is
/// laid out, and finds nothing there then.
#pragma once

#include "widgets/graph/graph_cards.h"

namespace tw::graph {

Group const* group_of(Cards const* cards, std::string const& key);
Findable const* findable_of(Cards const* cards, int node);
/// At a place in the graph's coordinates.
Card const* card_at(Cards const* cards, QPointF place);
Chip const* chip_at(Card const& card, QPointF place);
/// The innermost group around a place; empty: there is none.
std::string block_at(Cards const* cards, QPointF place);

/// -1: of a folded group.
int first_node(Card const& card);
size_t index_of(Cards const& cards, Card const& card);
/// That shows a group of the model's own graph.
Card const* card_of(Cards const* cards, int model_group);
/// Of what is on a card, by its index.
std::vector<int> nodes_at(Cards const* cards, int card);
/// In the card of a node, it among them.
std::vector<int> nodes_beside(Cards const* cards, int node);
std::vector<int> nodes_of_group(Cards const* cards, std::string const& key);
std::vector<int> nodes_of_kernel(session::GraphView const* graph, int kernel);
/// Of the cards of these nodes; empty: they have none.
QRectF box_of(Cards const* cards, std::vector<int> const& nodes);
/// Of its card or its frame; of one that cannot be seen, of what holds it.
QRectF box_of(Cards const& cards, Group const& group);
/// What is clicked to fold or open it: its card, or the head of its frame.
QRectF head_of(Cards const& cards, Group const& group);

/// By their keys, open or not.
std::map<std::string, bool> fold_states(Cards const* cards);
/// Folded, those that are open and hold no other open one.
std::map<std::string, bool> innermost_folded(Cards const* cards);
size_t card_count(Cards const* cards);
size_t edge_count(Cards const* cards);
size_t group_count(Cards const* cards);
size_t folded_count(Cards const* cards);  ///< of those that can be seen
/// Edges of which fusion said something.
size_t judged_count(Cards const* cards);

}  // namespace tw::graph
