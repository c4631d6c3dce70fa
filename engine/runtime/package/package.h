/// A package in memory, ready to run: what an exported folder becomes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/package/bound_steps.h"
#include "engine/runtime/package/parameters.h"

namespace tw::package {

/// What runs steps beside the first place's processor: for code that needs such a machine, with
/// memory for so many bytes of tensors.
using OpenOther =
    std::function<Result<std::unique_ptr<DeviceRuntime>>(Target const& target, int64_t bytes)>;

class Package {
public:
  /// Reads and checks everything before any of its code runs. Errors: package_unreadable,
  /// bad_package, package_version, damaged_package, wrong_processor, tensor_too_large,
  /// module_not_loadable, symbol_not_found, those of `open`.
  /// `open`: for packages whose steps run at several places; the first place is `processor`'s.
  static Result<std::unique_ptr<Package>> load(std::filesystem::path const& folder,
                                               std::unique_ptr<DeviceRuntime> processor,
                                               int threads, OpenOther const& open = {});
  ~Package();
  Package(Package const&) = delete;
  Package& operator=(Package const&) = delete;

  Description const& description() const { return description_; }
  /// The core that whoever runs it should stay on meanwhile; -1: any.
  int caller_core() const { return first().processor->caller_core(); }
  /// Ends the threads that work beside the caller.
  void end_threads();

  /// Of a processor that works in memory of this process: from now on the input is read there, the
  /// output written there, by all runs; null: in memory of its own, as at first. It must be as
  /// large as the tensor and aligned to its elements. An output that is an input, a constant or
  /// another output once more is where that is.
  void use_input(size_t index, void* memory);
  void use_output(size_t index, void* memory);
  /// Whether `use_output` decides where the output is.
  bool has_place(size_t output) const {
    Buffer const& place = description_.results[output];
    return place.region == Region::kOutput && size_t(place.at) == output;
  }
  /// The memory of an input, and where an output is after a run.
  void* input(size_t index) const {
    return first().processor->host_address(first().memory.inputs[index]);
  }
  void const* output(size_t index) const {
    return first().processor->host_address(first().memory.address(description_.results[index]));
  }
  /// All steps in their order. Errors: kernel_failed with the kernel's name and code,
  /// body_refused, loop_too_long, rows_missing (a loop ends before its result is full).
  Status run();

private:
  /// What is loaded at one place.
  struct Loaded {
    std::unique_ptr<DeviceRuntime> processor;
    std::unique_ptr<KernelLibrary> library = {};
    std::vector<void*> allocated = {};
    Memory memory = {};

    Result<MemoryPlace> allocate(int64_t bytes);
  };

  Package() = default;
  Loaded& first() { return places_.front(); }
  Loaded const& first() const { return places_.front(); }
  Status add_places(std::unique_ptr<DeviceRuntime> processor, OpenOther const& open);
  Status load_parameters(Loaded& place);
  Status load_library(std::filesystem::path const& folder, File const& file, Loaded& place);
  Status allocate_tensors();
  std::vector<PlaceOf> places();
  void use(Memory memory);

  Description description_;
  std::vector<Loaded> places_;
  std::shared_ptr<Parameters const> parameters_;
  Memory own_;  ///< of the first place, as it was at first
  std::optional<BoundSteps> steps_;
};

}  // namespace tw::package
