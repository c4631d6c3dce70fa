#include "engine/importers/onnx/rules.h"

namespace tw::onnx_size {

using namespace rules;

RuleList const& row() {
  static RuleList const rules{
      {.type = "Size", .op = "size", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_size
