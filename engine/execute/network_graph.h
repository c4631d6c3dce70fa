/// One graph of a network on a device: the model's, or one inside it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/compile/kernel_code.h"
#include "engine/device/owned.h"
#include "engine/execute/network.h"

namespace tw {

/// What the graphs of a network share. Gives everything back to the device at its end.
struct NetworkParts {
  Device& device;
  NetworkOptions options;
  std::vector<KernelCode> codes;  ///< of the plan's kernels
  OwnedLibrary library;           ///< of all kernels; none where there are none
  OwnedLibrary program;           ///< over them, of a NetworkProgram
  TensorHandle workspace;
  std::vector<OwnedTensor> tensors;

  NetworkParts(Device& device_, NetworkOptions options_, std::vector<KernelCode> codes_)
      : device(device_), options(std::move(options_)), codes(std::move(codes_)) {}
  NetworkParts(NetworkParts const&) = delete;

  Result<TensorHandle> allocate(int64_t bytes);
  Status load_library(std::vector<std::byte> const& bytes);
};

/// Values whose type and shape are known lie on the device; others are known when they are made,
/// and stay here: no kernel reads them.
class NetworkGraph {
public:
  using Places = std::map<ValueId, BufferView>;

  NetworkGraph(Graph const& graph, BodyPlan const& plan, NetworkParts& parts)
      : graph_(graph), plan_(plan), parts_(parts) {}

  /// Places values, uploads constants, loads kernels. `given`: where inputs lie already.
  Status prepare(TensorHandle arena, Places given);

  Graph const& graph() const { return graph_; }
  bool is_placed(ValueId id) const { return places_.contains(id); }
  Status set(ValueId id, NDArray const& array);
  Result<NDArray> get(ValueId id);
  Status run();

  /// Nothing but kernels: the device can time all of it.
  bool is_one_segment() const { return order_.size() == 1 && order_[0] >= 0; }
  /// Times of the kernels, of the graphs inside, too; of the whole when there is nothing else.
  Status time(int rounds, NetworkTiming& timing);

private:
  Status place_values();
  Result<std::vector<BufferView>> make_parameters(PlanStep const& step, KernelCode const& code);
  Status add_kernel(int number);
  Status add_bodies(int number);
  Status run_bodies(PlanStep const& step, int number);
  Status run_reference(PlanStep const& step);

  Graph const& graph_;
  BodyPlan const& plan_;
  NetworkParts& parts_;
  Places places_;
  std::map<ValueId, NDArray> here_;                // values that are not on the device
  std::vector<std::vector<DeviceStep>> segments_;  // runs of kernel steps
  std::vector<std::vector<int>> segment_kernels_;  // which kernel each of them runs
  std::map<int, double> segment_seconds_;          // what their last run took
  std::vector<int> order_;  // >= 0: a segment; < 0: step -1 - n, which is no kernel
  std::map<int, std::vector<std::unique_ptr<NetworkGraph>>> bodies_;  // of control steps
};

}  // namespace tw
