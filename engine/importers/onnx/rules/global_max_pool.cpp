#include "engine/importers/onnx/rules.h"

namespace tw {

using namespace rules;

RuleList const& onnx_global_max_pool() {
  static RuleList const rules{
      {.type = "GlobalMaxPool", .op = "global_max_pool", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw
