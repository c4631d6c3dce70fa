#include "engine/importers/onnx/rules.h"

namespace tw {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 3, {{"epsilon", foreign_number(context.node, "epsilon", 1e-5)}});
}

}  // namespace

RuleList const& onnx_instance_norm() {
  static RuleList const rules{
      {.type = "InstanceNormalization",
       .attributes = {{"consumed_inputs", 1, 5}, {"epsilon"}},
       .op = "instance_norm",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw
