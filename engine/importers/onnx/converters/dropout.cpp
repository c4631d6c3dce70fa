#include <fmt/format.h>

#include "engine/importers/onnx/converters.h"

namespace tw::onnx_dropout {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  if (input_given(context, 2) && context.constants[2].empty())
    return unsupported(
        fmt::format("whether it drops elements is computed ('{}'); it can be run only if this is "
                    "constant false or absent",
                    context.node.inputs[2]));
  if (input_given(context, 2) && context.constants[2].value_at(0) != 0)
    return unsupported("dropout in training mode");
  return keep_inputs(context, 1);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Dropout",
       .attributes = {{"consumed_inputs", 1, 5}, {"is_test", 1, 6}, {"ratio", 1, 11}, {"seed", 12}},
       .op = "dropout",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_dropout
