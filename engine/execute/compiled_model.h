/// A whole model on a device: kernels compiled, linked into one library and loaded, parameters
/// uploaded once, intermediate tensors in one arena. It runs there by the description that an
/// exported package has, branches and loops too. Nodes without a kernel are run in between, here,
/// by their reference; a network that has such, or a loop whose tensors change their size, is run
/// step by step from here.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/compile/code_cache.h"
#include "engine/compile/plan.h"
#include "engine/device/device.h"

namespace tw {

struct CompiledModelOptions {
  int threads = 1;
  std::map<int, std::string> scripts;  ///< kernel -> schedule script; others: the backend's rule
  CodeTier tier = CodeTier::kFull;
  CodeCache* cache = nullptr;  ///< where kernels are looked for and kept; null: nowhere
  CallOptions call;
  Progress progress;
};

struct KernelTime {
  int kernel = -1;  ///< of the plan
  double ms = 0;    ///< least
};

struct CompiledModelTiming {
  std::vector<double> samples_ms;   ///< of the whole network
  std::vector<KernelTime> kernels;  ///< per kernel step, then those of the graphs inside: of all
                                    ///< branches, whichever is taken
};

/// A device that a network runs on, and who compiles for it.
struct CompiledModelPlacement {
  Backend const& backend;
  Device& device;
};

struct CompiledModelParts;
class CompiledModelGraph;
class CompiledModelProgram;

class CompiledModel {
public:
  /// Compiles (two at a time) and uploads. `graph` and `plan` must outlive it. Errors: opaque_node,
  /// unknown_shape (of an input), step_refused (a script that does not fit), those of compiler and
  /// device. A node that nothing can run is an error here, one inside a branch when that is chosen.
  static Result<std::unique_ptr<CompiledModel>> create(Graph const& graph, Plan const& plan,
                                                       Backend const& backend, Device& device,
                                                       CompiledModelOptions const& options);
  /// The same for a plan that was cut: one of `places` for each of the plan's. What one needs of
  /// another goes through this process.
  static Result<std::unique_ptr<CompiledModel>> create(
      Graph const& graph, Plan const& plan, std::span<CompiledModelPlacement const> places,
      CompiledModelOptions const& options);
  ~CompiledModel();

  /// Outputs in the graph's order. Errors: missing_input, wrong_input, those of device and
  /// reference.
  Result<std::vector<NDArray>> run(std::vector<NDArray> const& inputs);
  /// `rounds` timed runs on the inputs of the last `run`.
  Result<CompiledModelTiming> time(int rounds);

private:
  explicit CompiledModel(Graph const& graph);
  Status set_input(size_t index, NDArray const& array);
  Status run_once();
  Result<NDArray> output(size_t index);

  Graph const& graph_;
  std::unique_ptr<CompiledModelParts> parts_;
  std::unique_ptr<CompiledModelProgram> program_;  ///< one of these two runs
  std::unique_ptr<CompiledModelGraph> steps_;
};

}  // namespace tw
