#include "engine/importers/onnx/rules.h"

namespace tw::onnx_identity {

using namespace rules;

RuleList const& row() {
  static RuleList const rules{
      {.type = "Identity", .op = "identity", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_identity
