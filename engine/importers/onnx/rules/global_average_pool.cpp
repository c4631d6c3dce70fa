#include "engine/importers/onnx/rules.h"

namespace tw {

using namespace rules;

RuleList const& onnx_global_average_pool() {
  static RuleList const rules{
      {.type = "GlobalAveragePool", .op = "global_average_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw
