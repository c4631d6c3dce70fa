#include "engine/importers/onnx/converters.h"

namespace tw::onnx_pairs {

using namespace rules;

/// What joins the elements of two tensors, or of any number of them.
ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Add",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
       .op = "add",
       .convert = keep_two},
      {.type = "And",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "and",
       .convert = keep_two},
      {.type = "BitwiseAnd", .op = "bitwise_and", .convert = keep_two},
      {.type = "BitwiseOr", .op = "bitwise_or", .convert = keep_two},
      {.type = "BitwiseXor", .op = "bitwise_xor", .convert = keep_two},
      {.type = "Div",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
       .op = "div",
       .convert = keep_two},
      {.type = "Equal",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "equal",
       .convert = keep_two},
      {.type = "Greater",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "greater",
       .convert = keep_two},
      {.type = "GreaterOrEqual", .op = "greater_or_equal", .convert = keep_two},
      {.type = "Less",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "less",
       .convert = keep_two},
      {.type = "LessOrEqual", .op = "less_or_equal", .convert = keep_two},
      {.type = "Max", .attributes = {{"consumed_inputs", 1, 5}}, .op = "max", .convert = keep_all},
      {.type = "Mean",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "mean",
       .convert = keep_all},
      {.type = "Min", .attributes = {{"consumed_inputs", 1, 5}}, .op = "min", .convert = keep_all},
      {.type = "Mul",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
       .op = "mul",
       .convert = keep_two},
      {.type = "Or",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "or",
       .convert = keep_two},
      {.type = "Sub",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
       .op = "sub",
       .convert = keep_two},
      {.type = "Sum", .attributes = {{"consumed_inputs", 1, 5}}, .op = "sum", .convert = keep_all},
      {.type = "Xor",
       .attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
       .op = "xor",
       .convert = keep_two},
  };
  return rules;
}

}  // namespace tw::onnx_pairs
