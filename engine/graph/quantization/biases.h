/// Constants that are added behind convolutions.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// `add` of one constant number per channel to what a convolution without a bias makes, and nobody
/// else reads, becomes that convolution's bias: sums of bytes have a place for it.
///   // y = add(conv(x, w), c: f32[C, 1, 1])  -->  y = conv(x, w, c: f32[C])
Graph with_biases(Graph graph);

}  // namespace tw
