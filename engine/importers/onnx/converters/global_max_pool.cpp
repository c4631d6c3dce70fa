#include "engine/importers/onnx/converters.h"

namespace tw::onnx_global_max_pool {

using namespace rules;

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "GlobalMaxPool", .op = "global_max_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_global_max_pool
