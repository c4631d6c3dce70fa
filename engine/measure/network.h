/// A whole model on a device: kernels compiled and loaded, parameters uploaded once, intermediate
/// tensors in one arena, nodes without a kernel run by their reference in between.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/compile/plan.h"
#include "engine/device/device.h"

namespace tw {

struct NetworkOptions {
  int threads = 1;
  std::map<int, std::string> scripts;  ///< kernel -> schedule script; others: the backend's rule
  CodeTier tier = CodeTier::kFull;
  CallOptions call;
  Progress progress;
};

struct NetworkTiming {
  std::vector<double> samples_ms;  ///< of the whole network
  std::vector<double> step_ms;     ///< per kernel step of the plan, least; 0 for other steps
};

class Network {
public:
  /// Compiles (two at a time) and uploads. `graph` and `plan` must outlive it. Errors: opaque_node,
  /// unknown_shape, step_refused (a script that does not fit), those of compiler and device.
  static Result<std::unique_ptr<Network>> create(Graph const& graph, Plan const& plan,
                                                 Backend const& backend, Device& device,
                                                 NetworkOptions const& options);
  ~Network();

  /// Outputs in the graph's order. Errors: missing_input, wrong_input, those of device and
  /// reference.
  Result<std::vector<NDArray>> run(std::vector<NDArray> const& inputs);
  /// `rounds` timed runs on the inputs of the last `run`.
  Result<NetworkTiming> time(int rounds);

private:
  struct Parts;
  explicit Network(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tw
