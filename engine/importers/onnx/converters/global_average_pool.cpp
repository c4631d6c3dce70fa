#include "engine/importers/onnx/converters.h"

namespace tw::onnx_global_average_pool {

using namespace rules;

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "GlobalAveragePool", .op = "global_average_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_global_average_pool
