// The row of the table of formats.
#include "engine/importers/external_data.h"
#include "engine/importers/model_format.h"
#include "engine/importers/onnx/converters.h"
#include "engine/importers/onnx/reader.h"
#include "engine/importers/onnx/recognise.h"

namespace tw {

ModelFormat const& format_onnx() {
  static ModelFormat const format{
      .key = "onnx",
      .name = "ONNX",
      .extension = ".onnx",
      .recognises = looks_like_onnx,
      .read =
          [](std::string_view bytes, std::filesystem::path const& path) {
            return read_onnx(bytes, path.string(), external_bytes_beside(path));
          },
      .rules = onnx_converters};
  return format;
}

}  // namespace tw
