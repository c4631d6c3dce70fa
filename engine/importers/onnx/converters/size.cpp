#include "engine/importers/onnx/converters.h"

namespace tw::onnx_size {

using namespace rules;

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Size", .op = "size", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_size
