/// Weights that an ONNX model keeps in files beside itself.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/importers/onnx/reader.h"

namespace tw {

/// Reads from the files below the model's folder. Errors: external_data (a place outside of the
/// folder, also by a link, unless the model is itself a link to a file beside that one; a file that
/// is missing or too short).
ExternalBytes external_bytes_beside(std::filesystem::path const& model);

/// The names of those files as the model writes them, sorted, each once; none for a model without,
/// or one that cannot be read.
std::vector<std::string> external_files_of(std::filesystem::path const& model);

}  // namespace tw
