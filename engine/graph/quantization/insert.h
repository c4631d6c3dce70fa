/// A plan carried out on a float graph.
#pragma once

#include "engine/graph/quantization/plan.h"

namespace tw {

/// A convolution or matrix product of bytes in the graph that was made.
struct InsertedProduct {
  NodeId plain;            ///< in the graph as it came
  std::vector<int> steps;  ///< exponents of its sums, by channel
};

struct Inserted {
  Graph graph;
  std::map<NodeId, InsertedProduct> products;
};

/// v = relu(conv(x, w, b))  -->  v/float = relu(conv(x, dequantize(w/quantized), b/stepped));
/// v = dequantize(v/quantized = quantize(v/float)): who reads v reads what the bytes say.
/// What an input of the graph holds is read as "x/dequantized" by the nodes that are quantized.
Result<Inserted> insert_quantization(Graph const& graph, QuantizationPlan const& plan,
                                     int weight_limit);

}  // namespace tw
