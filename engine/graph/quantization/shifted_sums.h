/// Averages over windows whose size is no power of two.
#pragma once

#include "engine/graph/quantization/plan.h"

namespace tw {

/// Averages of bytes become shifted sums where a product of bytes alone reads them, perhaps in
/// another shape: its weights take the factor. `plan`: of this graph; `samples` become those of the
/// graph that is returned.
///   // y = gemm(flatten(global_average_pool(x: f32[1, C, 7, 7])), w)  -->
///   // y = gemm(flatten(global_average_pool(x) * 49/64), w * 64/49)
Graph with_shifted_sums(Graph graph, QuantizationPlan const& plan, GraphSamples& samples);

}  // namespace tw
