/// ONNX models of an older operator set in a newer one.
#pragma once

#include "engine/imported/imported_model.h"

namespace tw {

/// Opset 10 has QuantizeLinear; 13 has one with a step for each channel.
constexpr int64_t kFirstQuantizedOpset = 10, kChannelStepsOpset = 13;

/// The same model of at least opset `least`, at most 13. What an operator takes in another way
/// since (axes and bounds as inputs instead of attributes) is written so. Errors: old_opset (before
/// 9, or an operator that means something else since, with its name).
Result<ImportedModel> with_opset(ImportedModel model, int64_t least);

}  // namespace tw
