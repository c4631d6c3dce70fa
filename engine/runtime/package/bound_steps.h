/// The steps of a description over memory and a loaded library: ready to run, many times.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/runtime/device_runtime.h"
#include "engine/runtime/package/description.h"

namespace tw::package {

/// Where the regions of a description lie, each as large as it says.
struct Memory {
  std::vector<MemoryPlace> inputs, outputs;
  MemoryPlace parameters, arena, workspace;
  MemoryPlace address(Buffer const& buffer) const;
};

/// What there is at one place of a description.
struct PlaceOf {
  KernelLibrary* library = nullptr;
  DeviceRuntime* processor = nullptr;
  Memory memory = {};
};

class BoundSteps {
public:
  /// Runs one kernel, on `processor`; what it refuses ends the run.
  using CallKernel = std::function<Status(DeviceRuntime& processor, std::string const& symbol,
                                          void* kernel, std::span<MemoryPlace const> buffers)>;

  /// `steps`, and what `places` point to, must outlive it. Errors: symbol_not_found.
  static Result<BoundSteps> bind(std::vector<Step> const& steps, std::vector<PlaceOf> places);

  /// The same steps over other memory at place 0.
  void use(Memory memory);

  /// All steps in their order. Errors: those of `call`, body_refused, loop_too_long, rows_missing
  /// (a loop ends before its result is full).
  Status run(CallKernel const& call) const { return run_all(calls_, call); }

private:
  /// A step with its addresses. The bodies' calls are of its bodies.
  struct Call {
    Step const* step = nullptr;
    void* kernel = nullptr;
    std::vector<MemoryPlace> buffers;
    std::vector<std::vector<Call>> bodies;
    /// Of the kernels from this one on that run one after the other, once they have run.
    mutable std::unique_ptr<CallSequence> sequence = {};
  };
  explicit BoundSteps(std::vector<PlaceOf> places) : places_(std::move(places)) {}
  Result<std::vector<Call>> bind_all(std::vector<Step> const& steps) const;
  void place(std::vector<Call>& calls) const;
  Status run_all(std::vector<Call> const& calls, CallKernel const& call_kernel) const;
  Status run_sequence(std::span<Call const> calls, CallKernel const& call_kernel) const;
  Status run_if(Call const& call, CallKernel const& call_kernel) const;
  Status run_body(Call const& call, size_t body, CallKernel const& call_kernel) const;
  Status run_loop(Call const& call, CallKernel const& call_kernel) const;
  Result<bool> run_round(Call const& call, int64_t round, CallKernel const& call_kernel) const;
  void copy_across(Step const& step) const;
  PlaceOf const& place_of(Call const& call) const { return places_[size_t(call.step->place)]; }

  std::vector<PlaceOf> places_;
  std::vector<Call> calls_;
};

}  // namespace tw::package
