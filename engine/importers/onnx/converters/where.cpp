#include "engine/importers/onnx/converters.h"

namespace tw::onnx_where {

using namespace rules;

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Where", .op = "where", .convert = keep_first(3)},
  };
  return rules;
}

}  // namespace tw::onnx_where
