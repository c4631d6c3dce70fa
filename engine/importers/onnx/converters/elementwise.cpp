#include "engine/importers/onnx/converters.h"

namespace tw::onnx_elementwise {

using namespace rules;

/// Functions of one element; those between layers are in activations.cpp.
ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Abs", .attributes = {{"consumed_inputs", 1, 5}}, .op = "abs", .convert = keep_one},
      {.type = "Acos", .op = "acos", .convert = keep_one},
      {.type = "Acosh", .op = "acosh", .convert = keep_one},
      {.type = "Asin", .op = "asin", .convert = keep_one},
      {.type = "Asinh", .op = "asinh", .convert = keep_one},
      {.type = "Atan", .op = "atan", .convert = keep_one},
      {.type = "Atanh", .op = "atanh", .convert = keep_one},
      {.type = "BitwiseNot", .op = "bitwise_not", .convert = keep_one},
      {.type = "Ceil",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "ceil",
       .convert = keep_one},
      {.type = "Cos", .op = "cos", .convert = keep_one},
      {.type = "Cosh", .op = "cosh", .convert = keep_one},
      {.type = "Erf", .op = "erf", .convert = keep_one},
      {.type = "Exp", .attributes = {{"consumed_inputs", 1, 5}}, .op = "exp", .convert = keep_one},
      {.type = "Floor",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "floor",
       .convert = keep_one},
      {.type = "IsNaN", .op = "is_nan", .convert = keep_one},
      {.type = "Log", .attributes = {{"consumed_inputs", 1, 5}}, .op = "log", .convert = keep_one},
      {.type = "Neg", .attributes = {{"consumed_inputs", 1, 5}}, .op = "neg", .convert = keep_one},
      {.type = "Not", .op = "not", .convert = keep_one},
      {.type = "Reciprocal",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "reciprocal",
       .convert = keep_one},
      {.type = "Round", .op = "round", .convert = keep_one},
      {.type = "Sign", .op = "sign", .convert = keep_one},
      {.type = "Sin", .op = "sin", .convert = keep_one},
      {.type = "Sinh", .op = "sinh", .convert = keep_one},
      {.type = "Sqrt",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "sqrt",
       .convert = keep_one},
      {.type = "Tan", .op = "tan", .convert = keep_one},
  };
  return rules;
}

}  // namespace tw::onnx_elementwise
