#include "engine/importers/onnx/rules.h"

namespace tw {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  TRY_ASSIGN(std::vector<int64_t> shape, constant_integers(context, 1, "the new shape"));
  return keep_inputs(context, 1, {{"shape", shape}});
}

}  // namespace

RuleList const& onnx_expand() {
  static RuleList const rules{
      {.type = "Expand", .op = "expand", .convert = convert},
  };
  return rules;
}

}  // namespace tw
