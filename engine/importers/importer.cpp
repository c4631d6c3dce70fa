#include "engine/importers/importer.h"

#include <cstring>

#include "engine/importers/model_format.h"
#include "engine/importers/onnx/reader.h"
#include "engine/support/files.h"

namespace tw {

namespace {

/// By what it holds; a damaged file, which nothing recognises, by its name.
Result<ModelFormat const*> format_of(std::string_view bytes, std::filesystem::path const& path) {
  for (ModelFormat const* format : format_table())
    if (format->recognises(bytes)) return format;
  std::string known;
  for (ModelFormat const* format : format_table()) {
    if (path.extension() == format->extension) return format;
    known += (known.empty() ? "" : ", ") + format->name;
  }
  return bad_input("unknown_format", "this is not a model in a supported format (" + known + ")",
                   {path.string(), 0, 0, {}});
}

}  // namespace

Result<ImportedModel> open_foreign(std::filesystem::path const& path) {
  TRY_ASSIGN(std::string bytes, read_file(path));
  TRY_ASSIGN(ModelFormat const* format, format_of(bytes, path));
  return format->read(bytes, path);
}

Result<Graph> open_model(std::filesystem::path const& path, ImportOptions const& options) {
  TRY_ASSIGN(ImportedModel model, open_foreign(path));
  auto graph = build_graph(model, options);
  if (!graph) {
    Error error = graph.error();
    error.place.file = path.string();
    return std::unexpected(error);
  }
  if (graph->name.empty()) graph->name = path.stem().string();
  return graph;
}

Result<NDArray> open_tensor(std::filesystem::path const& path) {
  TRY_ASSIGN(std::string bytes, read_file(path));
  return read_onnx_tensor(bytes, path.string());
}

NDArray as_declared(NDArray const& stored, ValueType const& declared) {
  Value value{"", declared, {}};
  if (auto shape = value.shape(); shape && stored.size() == 1 && *shape != stored.shape() &&
                                  element_count(*shape).value_or(0) == 1)
    return as_declared(stored.reshaped(*shape), declared);
  if (stored.type() != DType::kU16 || declared.dtype != DType::kBF16) return stored;
  auto tensor = NDArray::create(DType::kBF16, stored.shape());
  if (!tensor) return stored;
  std::memcpy(tensor->data(), stored.data(), size_t(stored.byte_size()));
  return *tensor;
}

}  // namespace tw
