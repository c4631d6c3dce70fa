/// What the values of a float model are like, over its calibration inputs.
#pragma once

#include <map>

#include "engine/graph/quantization/quantization.h"

namespace tw {

/// Elements of one value, taken evenly from each run.
struct ValueSamples {
  double largest = 0;  ///< of all its elements, by magnitude
  std::vector<float> elements;
  std::vector<float> largest_of_channel;  ///< along the second axis; empty: it has none
};
using GraphSamples = std::map<ValueId, ValueSamples>;

/// Of all f32 values that nodes make, and of the graph's inputs. Errors: those of `reference_run`.
Result<GraphSamples> take_samples(Graph const& graph, CalibrationData const& data,
                                  QuantizeOptions const& options);

/// Tells each node of a reference's run: "calibration, run 1 of 4: layer1.0.conv1".
Progress progress_of_run(QuantizeOptions const& options, std::string const& what, size_t run,
                         size_t runs);

/// The exponent of the step with which `elements`, none larger than `largest`, are kept best by
/// integers up to `limit`: of the one that holds the largest element and a few finer ones, the one
/// with the least mean square error.
int best_exponent(std::span<float const> elements, double largest, int limit);

}  // namespace tw
