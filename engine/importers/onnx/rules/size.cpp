#include "engine/importers/onnx/rules.h"

namespace tw {

using namespace rules;

RuleList const& onnx_size() {
  static RuleList const rules{
      {.type = "Size", .op = "size", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw
