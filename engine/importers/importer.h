/// Opening a model file of any known format.
#pragma once

#include <filesystem>

#include "engine/importers/from_foreign.h"

namespace tw {

/// Reads the file, whatever its name, and builds its graph (no passes yet). Errors name the file
/// and, where it is one node's, the node: those of `read_file`, `read_onnx` and `build_graph`, and
/// unknown_format.
Result<Graph> open_model(std::filesystem::path const& path, ImportOptions const& options = {});

/// The same file in the words of its format. Errors: those of `read_file`, of the format, and
/// unknown_format.
Result<ImportedModel> open_foreign(std::filesystem::path const& path);

/// A tensor stored as `.pb`.
Result<NDArray> open_tensor(std::filesystem::path const& path);

/// A stored tensor as the model declares it: tests keep the bits of bf16, which numpy lacks, as
/// u16, and a single number as a list of one.
NDArray as_declared(NDArray const& stored, ValueType const& declared);

}  // namespace tw
