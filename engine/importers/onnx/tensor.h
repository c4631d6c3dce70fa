/// TensorProto -> NDArray, with every claimed size checked against the bytes that are there.
#pragma once

#include <onnx.pb.h>

#include "engine/tensor/ndarray.h"

namespace tw::onnx_reader {

/// The element type with ONNX's number, or empty for strings, complex numbers and unknown ones.
std::optional<DType> dtype_of(int onnx_type);

/// Errors: external_data, unsupported_type, bad_tensor (sizes disagree), tensor_too_large.
Result<NDArray> to_array(onnx::TensorProto const& tensor);

}  // namespace tw::onnx_reader
