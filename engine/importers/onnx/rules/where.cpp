#include "engine/importers/onnx/rules.h"

namespace tw {

using namespace rules;

RuleList const& onnx_where() {
  static RuleList const rules{
      {.type = "Where", .op = "where", .convert = keep_first(3)},
  };
  return rules;
}

}  // namespace tw
