/// A plan carried out on a float graph.
#pragma once

#include "engine/graph/quantization/plan.h"

namespace tw {

/// v = relu(conv(x, w, b))  -->  v/float = relu(conv(x, dequantize(w/quantized), b/stepped));
/// v = dequantize(v/quantized = quantize(v/float)): who reads v reads what the bytes say.
/// What an input of the graph holds is read as "x/dequantized" by the nodes that are quantized.
Result<Graph> insert_quantization(Graph const& graph, QuantizationPlan const& plan,
                                  int weight_limit);

}  // namespace tw
