#include "engine/importers/onnx/rules.h"

namespace tw::onnx_global_max_pool {

using namespace rules;

RuleList const& row() {
  static RuleList const rules{
      {.type = "GlobalMaxPool", .op = "global_max_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_global_max_pool
