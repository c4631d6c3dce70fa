/// The formats of model files, one for each folder under engine/importers.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/imported/imported_model.h"
#include "engine/importers/converter.h"

namespace tw {

/// A folder defines one as `ModelFormat const& format_FOLDER()`; the build writes the table.
struct ModelFormat {
  std::string key;        ///< `ImportedModel::format` of what it reads: "onnx"
  std::string name;       ///< "ONNX"
  std::string extension;  ///< ".onnx"
  /// Whether the bytes look like a file of this format, whatever its name: cheap, from the first
  /// bytes and the outermost structure.
  bool (*recognises)(std::string_view bytes);
  /// `path`: for messages, and for files that lie beside. Errors: those of the format.
  Result<ImportedModel> (*read)(std::string_view bytes, std::filesystem::path const& path);
  /// How its operators become ours.
  Converters const& (*rules)();
};

/// Sorted by their folders. Written by the build.
std::span<ModelFormat const* const> format_table();
/// Of the format with this key; where there is none, rules that know no operator.
Converters const& converters_of(std::string_view key);

}  // namespace tw
