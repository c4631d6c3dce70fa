/// A model of floats made one of bytes: what `tw quantize` does.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/graph/quantization/quantization.h"
#include "engine/support/base/job.h"

namespace tw::session {

struct QuantizeRequest {
  std::string source;                  ///< a file, or "sample:NAME"
  std::map<std::string, Shape> fixes;  ///< of inputs with open shapes
  std::filesystem::path data;  ///< folders test_data_set_N with input_N.pb; empty: random inputs
  uint64_t seed = 1;           ///< of random inputs
  int runs = 4;                ///< random ones that calibrate; one more is compared
  std::filesystem::path out;   ///< the ONNX file; empty: only the report
  /// Beside the file a folder test_data_set_0, with what the last run that was compared takes and
  /// gives in integers.
  bool with_tests = false;
  QuantizeOptions options;
};

struct QuantizeReport {
  Quantized quantized;
  std::string calibrated_on;  ///< "4 random inputs, seed 1"
  std::string compared_on;    ///< "another one"
  /// Why all weights of a convolution have one step, although that was not asked for; empty: each
  /// channel has its own.
  std::string one_step_because;
};

/// Errors: those of opening the model and its data, of `quantize`, of `quantized_model`, bad_runs,
/// unknown_shape, file_unwritable, overwrites_input.
Result<QuantizeReport> quantize_to_file(QuantizeRequest const& request, StopToken stop = {},
                                        Progress const& progress = {});

}  // namespace tw::session
