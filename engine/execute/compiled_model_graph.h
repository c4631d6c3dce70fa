/// One graph of a network on a device: the model's, or one inside it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/compile/kernel_code.h"
#include "engine/device/scoped_handle.h"
#include "engine/execute/compiled_model.h"

namespace tw {

/// What lies on one of a network's devices.
struct PlaceParts {
  Device& device;
  ScopedLibrary library = {};  ///< of all kernels that run there; none where there are none
  ScopedLibrary program = {};  ///< over them, of a NetworkProgram
  TensorHandle workspace = {};
};

/// What the graphs of a network share. Gives everything back to the devices at its end.
struct CompiledModelParts {
  CompiledModelOptions options;
  std::vector<KernelCode> codes;   ///< of the plan's kernels
  std::vector<PlaceParts> places;  ///< of the plan
  std::vector<ScopedTensor> tensors;

  CompiledModelParts(std::span<CompiledModelPlacement const> given, CompiledModelOptions options_,
                     std::vector<KernelCode> codes_)
      : options(std::move(options_)), codes(std::move(codes_)) {
    for (CompiledModelPlacement const& one : given) places.push_back({one.device});
  }
  CompiledModelParts(CompiledModelParts const&) = delete;

  Device& device(int place) { return places[size_t(place)].device; }
  Result<TensorHandle> allocate(int place, int64_t bytes);
  Status load_library(Plan const& plan, int place, std::vector<std::byte> const& bytes);
};

/// Where a value lies at a place.
using ValueAt = std::pair<int, ValueId>;

/// Values whose type and shape are known lie on the device; others are known when they are made,
/// and stay here: no kernel reads them.
class CompiledModelGraph {
public:
  using Places = std::map<ValueAt, BufferView>;

  /// `place`: where the graph has its inputs and outputs, and runs what has no other place.
  CompiledModelGraph(Graph const& graph, BodyPlan const& plan, CompiledModelParts& parts,
                     int place = 0)
      : graph_(graph), plan_(plan), parts_(parts), place_(place) {}

  /// Places values, uploads constants, loads kernels. Of a model; `arenas`: one per place.
  Status prepare(Plan const& plan, std::vector<BufferView> const& arenas);
  /// The same for a graph inside. `given`: where inputs lie already.
  Status prepare(BufferView arena, Places given);

  Graph const& graph() const { return graph_; }
  bool is_placed(ValueId id) const { return places_.contains({place_, id}); }
  /// At the graph's place.
  Status set(ValueId id, NDArray const& array) { return set(id, array, place_); }
  Result<NDArray> get(ValueId id) { return get(id, place_); }
  Status run();

  /// Nothing but kernels: the device can time all of it.
  bool is_one_segment() const { return order_.size() == 1 && order_[0] >= 0; }
  /// Times of the kernels, of the graphs inside, too; of the whole when there is nothing else.
  Status time(int rounds, CompiledModelTiming& timing);

private:
  Status set(ValueId id, NDArray const& array, int place);
  Result<NDArray> get(ValueId id, int place);
  void place_in(BufferView arena, MemoryPlan const& memory, int place);
  Status add_steps();
  Status place_values();
  Status place_value(ValueId id, int place);
  Result<std::vector<BufferView>> make_parameters(PlanStep const& step, KernelCode const& code);
  Status add_kernel(int number);
  Status add_bodies(int number);
  Status run_bodies(PlanStep const& step, int number);
  Status run_reference(PlanStep const& step);
  Status run_copy(PlanStep const& step);
  Status run_segment(int segment);

  Graph const& graph_;
  BodyPlan const& plan_;
  CompiledModelParts& parts_;
  int place_;
  Places places_;
  std::map<ValueId, NDArray> here_;                // values that are not on a device
  std::vector<std::vector<DeviceStep>> segments_;  // runs of kernel steps at one place
  std::vector<int> segment_places_;
  std::vector<std::vector<int>> segment_kernels_;  // which kernel each of them runs
  std::map<int, double> segment_seconds_;          // what their last run took
  std::vector<int> order_;  // >= 0: a segment; < 0: step -1 - n, which is no kernel
  std::map<int, std::vector<std::unique_ptr<CompiledModelGraph>>> bodies_;  // of control steps
};

}  // namespace tw
