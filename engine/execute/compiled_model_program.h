/// A network that runs as an exported package does, on the device and as one step.
#pragma once

#include "engine/execute/assemble.h"
#include "engine/execute/compiled_model_graph.h"

namespace tw {

/// Whether nothing in the network needs this process.
bool runs_as_program(Graph const& graph, Plan const& plan);

class CompiledModelProgram {
public:
  /// `parts`: with the library loaded. Errors: those of assembling and of the device.
  static Result<std::unique_ptr<CompiledModelProgram>> create(Graph const& graph, Plan const& plan,
                                                              Backend const& backend,
                                                              CompiledModelParts& parts);

  Status set_input(size_t index, NDArray const& array);
  Result<NDArray> output(size_t index) const;
  Status run();
  /// Times of the kernels, of every body, and of the whole.
  Status time(int rounds, CompiledModelTiming& timing);

private:
  explicit CompiledModelProgram(CompiledModelParts& parts) : parts_(parts) {}
  Device& device() const { return parts_.device(0); }
  Status place(Assembly const& assembly);
  Status upload(std::vector<PlacedParameter> const& parameters);
  BufferView view_of(package::Buffer const& buffer) const;
  std::vector<DeviceStep> kernel_steps(std::vector<int>& kernels) const;

  CompiledModelParts& parts_;
  package::Description description_;
  std::vector<BufferView> inputs_, outputs_;
  BufferView parameters_, arena_;
  DeviceStep whole_;
  double last_seconds_ = 0;  ///< of the last run
};

}  // namespace tw
