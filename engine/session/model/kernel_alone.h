/// One kernel as a model of its own, with what it must compute: for exports.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/compile/plan.h"
#include "engine/session/model/model.h"
#include "engine/support/base/job.h"

namespace tw::session {

/// A graph of values and a plan of one step.
struct KernelAlone {
  Graph graph;
  Plan plan;
  std::vector<NDArray> inputs, expected;
  std::string origin;                ///< of `expected`, for people
  std::vector<std::string> unknown;  ///< parameters that nobody gave: seeded random values
};

/// The kernel at `row`. Its parameters are those given by name, else the weights that the first
/// step of the model with this kernel has, else random. What is expected is what its operators'
/// plain loops make of seeded inputs, of a large tensor expression its plain nest on `device`.
/// Errors: unknown_parameter, wrong_input, those of the references, of compiling and of the device.
Result<KernelAlone> kernel_alone(LoadedModel const& model, int row,
                                 std::map<std::string, NDArray> const& parameters,
                                 Backend const& host, Device& device, StopToken stop);

}  // namespace tw::session
