/// A kernel that was interpreted on given inputs, and what it must compute: for tests of the judge.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/interpreter.h"
#include "engine/te/expected.h"
#include "engine/te/inputs.h"

namespace tw::testing {

struct Trial {
  te::Kernel kernel;
  ir::Program program;
  std::vector<NDArray> inputs, outputs;
  te::Expected expected;
};

inline Trial trial_with(te::Kernel kernel, std::vector<NDArray> inputs) {
  Trial trial;
  trial.kernel = std::move(kernel);
  trial.program = te::to_program(trial.kernel).value();
  trial.inputs = std::move(inputs);
  trial.outputs = ir::interpret(trial.program, trial.inputs).value();
  trial.expected = te::expected_outputs(trial.kernel, trial.inputs, [&](ir::Program const& plain) {
                     return ir::interpret(plain, trial.inputs);
                   }).value();
  return trial;
}

inline Trial trial_with(std::string const& text, std::vector<NDArray> inputs) {
  return trial_with(te::parse_kernel("tilewright te 1\n" + text).value(), std::move(inputs));
}

inline Trial trial_of(std::string const& text, uint64_t seed = 1) {
  te::Kernel kernel = te::parse_kernel("tilewright te 1\n" + text).value();
  return trial_with(kernel, te::proving_inputs(kernel, seed).value());
}

inline NDArray array(DType type, Shape const& shape, std::vector<double> const& values) {
  NDArray made = NDArray::create(type, shape).value();
  for (size_t i = 0; i < values.size(); ++i) made.set_value(int64_t(i), values[i]);
  return made;
}

}  // namespace tw::testing
