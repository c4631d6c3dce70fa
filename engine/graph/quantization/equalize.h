/// Channels of about the same size, where that costs nothing: what one convolution makes larger by
/// a power of two, the next one multiplies by less.
#pragma once

#include <map>
#include <set>

#include "engine/graph/quantization/samples.h"

namespace tw {

struct Equalized {
  Graph graph;
  std::map<NodeId, NodeId> pairs;  ///< by the second one: the first; empty: the graph is as it was
};

/// Of each two convolutions of `products`, one of which multiplies each channel alone (where one
/// step for all weights costs most), and the second alone reads what the first makes, perhaps
/// through a relu: weights and biases are scaled so that each channel between them has about the
/// same range of weights on both sides. In exact arithmetic nothing else changes.
///   conv(relu(conv(x, W)), V)  -->  conv(relu(conv(x, S W)), V / S)
/// Source: Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and Bias
/// Correction", section 4.1; here factors are powers of two, by which floats multiply exactly.
Equalized equalized(Graph graph, std::set<NodeId> const& products, GraphSamples const& samples);

}  // namespace tw
