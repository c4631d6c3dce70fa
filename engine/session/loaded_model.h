/// A model as the session holds it: before and after the graph passes, and what runs when.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/compile/plan.h"
#include "engine/session/use_cases.h"

namespace tw::session {

class LoadedModel {
public:
  std::string name;
  std::string path;
  Graph before, after;  ///< both empty for a `.te` file
  Plan plan;
  bool is_expression = false;  ///< a kernel without a model

  KernelTask const& kernel(int row) const { return plan.kernels[size_t(row)]; }
};

/// The plain program of a kernel.
Result<ir::Program> plain_program(LoadedModel const& model, int kernel);

/// What the kernel must compute for these inputs, by the operators' plain loops, which share
/// nothing with code generation; for a tensor expression the interpreter. Empty when that would
/// take too long.
Result<std::optional<std::vector<NDArray>>> reference_outputs(LoadedModel const& model, int kernel,
                                                              std::vector<NDArray> const& inputs,
                                                              StopToken stop = {});

}  // namespace tw::session
