/// ONNX files -> ForeignModel.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/imported/imported_model.h"

namespace tw {

/// Bytes of a tensor that the model keeps in another file, at `location` as the model writes it.
using ExternalBytes =
    std::function<Result<std::string>(std::string const& location, int64_t offset, int64_t bytes)>;

/// `file` is the place that errors name. `external`: empty where the model must be whole by itself.
/// Functions of the file are put in the place of their calls. Errors: not_onnx (damaged or another
/// format, with the byte), bad_tensor, external_data, functions_too_deep, functions_too_large.
Result<ImportedModel> read_onnx(std::string_view bytes, std::string_view file = "",
                                ExternalBytes const& external = {});
/// The locations of such tensors, sorted, each once; none where the bytes are no model.
std::vector<std::string> external_files_in(std::string_view bytes);

/// A serialized TensorProto, as test data is stored.
Result<NDArray> read_onnx_tensor(std::string_view bytes, std::string_view file = "");

}  // namespace tw
