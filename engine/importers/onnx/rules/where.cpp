#include "engine/importers/onnx/rules.h"

namespace tw::onnx_where {

using namespace rules;

RuleList const& row() {
  static RuleList const rules{
      {.type = "Where", .op = "where", .convert = keep_first(3)},
  };
  return rules;
}

}  // namespace tw::onnx_where
