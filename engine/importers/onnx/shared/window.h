/// Sliding windows of convolutions and pools.
#pragma once

#include "engine/importers/onnx/converters.h"

namespace tw::rules {

/// Attributes of a node with a window, in our names; `kernel` may come from the weights. Errors:
/// unsupported.
Result<Attributes> window_attributes(ForeignContext const& context, std::vector<int64_t> kernel);

}  // namespace tw::rules
