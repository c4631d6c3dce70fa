/// Small whole numbers, some below zero: inputs of which every schedule computes the same to the
/// bit.
#pragma once

#include <vector>

#include "engine/ir/program.h"
#include "engine/tensor/ndarray.h"

namespace tw::testing {

inline std::vector<NDArray> counted_inputs(ir::Program const& program) {
  std::vector<NDArray> inputs;
  for (ir::Buffer const& buffer : program.inputs) {
    inputs.push_back(NDArray::create(buffer->type, *ir::constant_shape(*buffer)).value());
    for (int64_t i = 0; i < inputs.back().size(); ++i)
      inputs.back().set_value(i, double(i * 5 % 13) - 6);
  }
  return inputs;
}

}  // namespace tw::testing
