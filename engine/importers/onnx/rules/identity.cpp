#include "engine/importers/onnx/rules.h"

namespace tw {

using namespace rules;

RuleList const& onnx_identity() {
  static RuleList const rules{
      {.type = "Identity", .op = "identity", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw
