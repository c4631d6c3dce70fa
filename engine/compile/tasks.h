/// From fused groups to kernels: one tensor expression per group, equal ones recognized.
#pragma once

#include "engine/graph/graph.h"
#include "engine/te/te.h"

namespace tw {

/// One kernel of the model; several groups may share it.
struct KernelTask {
  std::string name;                    ///< "conv2d_64x56x56_3x3", unique in the model
  std::vector<std::string> operators;  ///< "pad", "conv2d", "bias_add", "relu"
  std::string shape;                   ///< "64x56x56 3x3 /2"
  te::Kernel kernel;
  int64_t flops = 0;
  int64_t bytes = 0;  ///< inputs and outputs, each once
  uint64_t hash = 0;  ///< of the structure, equal for equal kernels
  int count = 1;      ///< how many groups run it
  int place = 0;      ///< of the plan: where it runs, so that it is compiled for that
};

/// The kernel of one group and what feeds it.
struct GroupKernel {
  KernelTask task;
  std::vector<ValueId> inputs;   ///< one per `task.kernel.inputs`
  std::vector<ValueId> outputs;  ///< one per `task.kernel.outputs`
};

/// Concatenates the stages of the group's operators and inlines each element-wise stage into the
/// one that reads it. Errors: no_kernel with the reason, for a group that only the reference can
/// run.
Result<GroupKernel> kernel_of(Graph const& graph, Group const& group);

/// A single operator as a kernel, whatever the fusion says.
Result<GroupKernel> kernel_of(Graph const& graph, NodeId node);

/// Stages that are no reduction, are read once and only by a stage that is no reduction either
/// disappear into it: bias_add, relu  -->  relu over bias_add's expression.
te::Kernel inline_elementwise(te::Kernel const& kernel);

}  // namespace tw
