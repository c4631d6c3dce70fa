/// ONNX files -> ForeignModel.
#pragma once

#include <string_view>

#include "engine/foreign/foreign_model.h"

namespace tw {

/// `file` is the place that errors name. Errors: not_onnx (damaged or another format, with the
/// byte), bad_tensor, external_data, unsupported_type, no_graph.
Result<ForeignModel> read_onnx(std::string_view bytes, std::string_view file = "");

/// A serialized TensorProto, as test data is stored.
Result<NDArray> read_onnx_tensor(std::string_view bytes, std::string_view file = "");

}  // namespace tw
