#include "engine/importers/onnx/converters.h"

namespace tw::onnx_identity {

using namespace rules;

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Identity", .op = "identity", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_identity
