/// What rounding weights and data adds to a channel's mean is taken from its bias.
#pragma once

#include "engine/graph/quantization/insert.h"

namespace tw {

/// Of each product, in the order of the graph, the mean of a channel over the calibration runs as
/// the plain graph has it and as the quantized one has it with the biases before it corrected: the
/// difference is added to the channel's bias in whole steps, as far as it is more than chance.
/// Source: Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and Bias
/// Correction", section 4.2, from runs. Errors: those of a node, cancelled.
Status correct_biases(Inserted& inserted, Graph const& plain, CalibrationData const& data,
                      QuantizeOptions const& options);

}  // namespace tw
