/// Quantization of a float model to bytes whose scales are powers of two, from runs on calibration
/// inputs: a change of scale is then a shift, which a processor for integers does exactly.
///
/// The result is a float graph still, with quantize_linear and dequantize_linear around what is
/// computed in bytes: every runtime can run it, and the pass lower_quantized computes it in
/// integers. A bias is half a step more than a whole number of steps, so that no sum lies between
/// two bytes: rounding halves up and rounding them to even are then the same.
#pragma once

#include <map>

#include "engine/graph/graph.h"
#include "engine/support/base/job.h"

namespace tw {

/// Inputs of runs, each in the graph's order.
struct CalibrationData {
  std::vector<std::vector<NDArray>> runs;
  /// Runs that only the comparison with floats sees; without them it has the same ones.
  std::vector<std::vector<NDArray>> checks = {};
};

struct QuantizeOptions {
  bool first = false;  ///< convolutions of the model's inputs, too: they have few channels
  bool dense = false;  ///< matrix products with constant weights, too
  /// Convolutions of each channel alone, too, which no accelerator runs.
  bool depthwise = false;
  /// One step for all weights of a convolution or matrix product, instead of one for those of each
  /// channel that it makes.
  bool one_weight_step = false;
  /// Data that is never negative in u8, whose steps are half as coarse. Accelerators take i8.
  bool unsigned_data = false;
  int weight_bits = 8;            ///< 2 to 8; bytes hold them
  std::vector<std::string> keep;  ///< names of nodes that stay floats
  StopToken stop;
  Progress progress;
};

/// What became of a node that could have been quantized.
struct QuantizedNode {
  std::string name;
  std::string title;  ///< "conv2d", "add"
  bool is_quantized = false;
  std::string reason;                        ///< why it stays in floats, or what it was joined to
  std::optional<int> data, weights, result;  ///< exponents: a step is 2^exponent
  std::optional<int> finest_weights;  ///< of the channel with the finest; `weights`: the coarsest
  std::optional<double> decibels;  ///< signal to noise of the result in the whole quantized model
};

struct OutputNoise {
  std::string name;
  double decibels = 0;
};

struct Quantized {
  Graph graph;  ///< simplified, with quantize_linear and dequantize_linear; not yet lowered
  std::vector<QuantizedNode> nodes;
  std::vector<NDArray> made;         ///< outputs of the last run that was compared, in integers
  std::vector<OutputNoise> outputs;  ///< over all that is compared, computed in integers
};

/// Errors: no_calibration_data, bad_weight_bits, nothing_to_quantize, unknown_node (of `keep`),
/// those of the passes and of `reference_run`, cancelled.
Result<Quantized> quantize(Graph const& graph, CalibrationData const& data,
                           QuantizeOptions const& options = {});

/// 10 log10 of the ratio of the sums of squares of `expected` and of the difference; infinite where
/// both are equal. Shapes are equal.
double signal_to_noise(NDArray const& expected, NDArray const& actual);

}  // namespace tw
