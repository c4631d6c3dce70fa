#include "engine/importers/onnx/rules.h"

namespace tw::onnx_global_average_pool {

using namespace rules;

RuleList const& row() {
  static RuleList const rules{
      {.type = "GlobalAveragePool", .op = "global_average_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_global_average_pool
