/// A package in memory, ready to run: what an exported folder becomes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/package/bound_steps.h"

namespace tw::package {

class Package {
public:
  /// Reads and checks everything before any of its code runs. Errors: package_unreadable,
  /// bad_package, package_version, damaged_package, wrong_processor, tensor_too_large,
  /// module_not_loadable, symbol_not_found.
  static Result<std::unique_ptr<Package>> load(std::filesystem::path const& folder,
                                               std::unique_ptr<Processor> processor, int threads);
  ~Package();
  Package(Package const&) = delete;
  Package& operator=(Package const&) = delete;

  Description const& description() const { return description_; }
  /// The memory of an input, and where an output is after a run.
  void* input(size_t index) const { return memory_.inputs[index]; }
  void const* output(size_t index) const { return memory_.address(description_.results[index]); }
  /// All steps in their order. Errors: kernel_failed with the kernel's name and code,
  /// body_refused, loop_too_long, rows_missing (a loop ends before its result is full).
  Status run();

private:
  explicit Package(std::unique_ptr<Processor> processor) : processor_(std::move(processor)) {}
  Result<void*> allocate(int64_t bytes);
  Status load_parameters(std::filesystem::path const& folder);
  Status load_library(std::filesystem::path const& folder);
  Status allocate_all();

  std::unique_ptr<Processor> processor_;
  Description description_;
  std::unique_ptr<KernelLibrary> library_;
  std::vector<void*> allocated_;
  Memory memory_;
  std::optional<BoundSteps> steps_;
};

}  // namespace tw::package
