#include "engine/importers/importer.h"

#include <cstring>

#include "engine/importers/external_data.h"
#include "engine/importers/onnx/reader.h"
#include "engine/support/files.h"

namespace tw {

Result<Graph> open_model(std::filesystem::path const& path, ImportOptions const& options) {
  if (path.extension() != ".onnx")
    return bad_input("unknown_format", "the name of a model ends with .onnx",
                     {path.string(), 0, 0, {}});
  TRY_ASSIGN(std::string bytes, read_file(path));
  TRY_ASSIGN(ForeignModel model, read_onnx(bytes, path.string(), external_bytes_beside(path)));
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
