/// ForeignModel -> ONNX bytes: what the reader reads back as the same model.
#pragma once

#include "engine/imported/imported_model.h"

namespace tw {

/// Errors: model_too_large (the format ends at 2 GiB), unwritable_attribute.
Result<std::string> write_onnx(ImportedModel const& model);
/// A serialized TensorProto, as test data is stored.
Result<std::string> write_onnx_tensor(NDArray const& tensor, std::string const& name);

}  // namespace tw
