/// TensorProto -> NDArray, with every claimed size checked against the bytes that are there.
#pragma once

#include <onnx.pb.h>

#include "engine/importers/onnx/reader.h"
#include "engine/tensor/ndarray.h"

namespace tw::onnx_reader {

/// The element type with ONNX's number, or empty for strings, complex numbers and unknown ones.
std::optional<DType> dtype_of(int onnx_type);

/// `external` reads data that lies in another file; empty: there is none to read.
/// Errors: external_data, unsupported_type, bad_tensor (sizes disagree), tensor_too_large.
Result<NDArray> to_array(onnx::TensorProto const& tensor, ExternalBytes const& external);

bool is_external(onnx::TensorProto const& tensor);
/// What the tensor says about its data's place: "location", "offset", "length"; empty: nothing.
std::string external_entry(onnx::TensorProto const& tensor, std::string_view key);

}  // namespace tw::onnx_reader
