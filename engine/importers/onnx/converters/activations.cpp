#include "engine/importers/onnx/converters.h"

namespace tw::onnx_activations {

using namespace rules;

/// Functions between layers; their numbers are named as ours.
ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Celu",
       .attributes = {{"alpha", 12}},
       .op = "celu",
       .convert = keep_numbers({{"alpha", 1}})},
      {.type = "Elu",
       .attributes = {{"alpha"}, {"consumed_inputs", 1, 5}},
       .op = "elu",
       .convert = keep_numbers({{"alpha", 1}})},
      {.type = "HardSigmoid",
       .attributes = {{"alpha"}, {"beta"}, {"consumed_inputs", 1, 5}},
       .op = "hard_sigmoid",
       .convert = keep_numbers({{"alpha", 0.2}, {"beta", 0.5}})},
      {.type = "HardSwish", .op = "hard_swish", .convert = keep_one},
      {.type = "LeakyRelu",
       .attributes = {{"alpha"}, {"consumed_inputs", 1, 5}},
       .op = "leaky_relu",
       .convert = keep_numbers({{"alpha", 0.01}})},
      {.type = "Relu",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "relu",
       .convert = keep_one},
      {.type = "Selu",
       .attributes = {{"alpha"}, {"consumed_inputs", 1, 5}, {"gamma"}},
       .op = "selu",
       .convert = keep_numbers(
           {{"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}})},
      {.type = "Shrink",
       .attributes = {{"bias", 9}, {"lambd", 9}},
       .op = "shrink",
       .convert = keep_numbers({{"lambd", 0.5}, {"bias", 0}})},
      {.type = "Sigmoid",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "sigmoid",
       .convert = keep_one},
      {.type = "Softplus", .op = "softplus", .convert = keep_one},
      {.type = "Softsign", .op = "softsign", .convert = keep_one},
      {.type = "Tanh",
       .attributes = {{"consumed_inputs", 1, 5}},
       .op = "tanh",
       .convert = keep_one},
      {.type = "ThresholdedRelu",
       .attributes = {{"alpha", 10}},
       .op = "thresholded_relu",
       .convert = keep_numbers({{"alpha", 1}})},
  };
  return rules;
}

}  // namespace tw::onnx_activations
