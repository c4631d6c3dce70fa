// SPDX-License-Identifier: GPL-3.0-or-later
/// What is found in a graph by words: nodes by name, operator and kernel, and tensors by name, each
/// at the node that makes it, else at those that read it.
#pragma once

#include <string>
#include <vector>

#include "engine/session/graph_tensors.h"
#include "widgets/graph/graph_cards.h"

namespace tw::graph {

/// A tensor at one of its nodes.
struct TensorPlace {
  std::string words;  ///< its name, lower case
  session::GraphTensor const* tensor = nullptr;
  int place = -1;  ///< of `Cards::findable`
};
/// Points into `tensors`.
std::vector<TensorPlace> tensor_places(Cards const& cards,
                                       std::vector<session::GraphTensor> const& tensors);

struct Match {
  int place = -1;                                ///< of `Cards::findable`
  session::GraphTensor const* tensor = nullptr;  ///< by which the node was found; null: by its own
};
struct Matches {
  std::vector<Match> all;  ///< in the order of the graph, one for each node
  int first = -1;          ///< the one that is meant: with just this name, else the first
};
/// Of all that contain every word of `text`; none for no words. "name:", "op:", "kernel:" and
/// "tensor:" before a word look for it there alone.
Matches find_in(Cards const& cards, std::vector<TensorPlace> const& tensors, QString const& text);
/// "layer1.0.conv1.weight, read by conv2d_3"; of a node found by its own words "relu1 · relu".
QString words_of(Cards const& cards, Match const& match);

}  // namespace tw::graph
