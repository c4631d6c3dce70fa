/// The steps of a description over memory and a loaded library: ready to run, many times.
#pragma once

#include <functional>
#include <vector>

#include "engine/runtime/package/description.h"
#include "engine/runtime/processor.h"

namespace tw::package {

/// Where the regions of a description lie, each as large as it says.
struct Memory {
  std::vector<DeviceAddress> inputs, outputs;
  DeviceAddress parameters, arena, workspace;
  DeviceAddress address(Buffer const& buffer) const;
};

class BoundSteps {
public:
  /// Runs one kernel; what it refuses ends the run.
  using CallKernel = std::function<Status(std::string const& symbol, void* kernel,
                                          std::span<DeviceAddress const> buffers)>;

  /// `steps`, `library` and `processor` must outlive it. Errors: symbol_not_found.
  static Result<BoundSteps> bind(std::vector<Step> const& steps, KernelLibrary& library,
                                 Processor& processor, Memory memory);

  /// The same steps over other memory.
  void use(Memory memory);

  /// All steps in their order. Errors: those of `call`, body_refused, loop_too_long, rows_missing
  /// (a loop ends before its result is full).
  Status run(CallKernel const& call) const { return run_all(calls_, call); }

private:
  /// A step with its addresses. The bodies' calls are of its bodies.
  struct Call {
    Step const* step = nullptr;
    void* kernel = nullptr;
    std::vector<DeviceAddress> buffers;
    std::vector<std::vector<Call>> bodies;
  };
  BoundSteps(Processor& processor, Memory memory)
      : processor_(&processor), memory_(std::move(memory)) {}
  Result<std::vector<Call>> bind_all(std::vector<Step> const& steps, KernelLibrary& library) const;
  void place(std::vector<Call>& calls) const;
  Status run_all(std::vector<Call> const& calls, CallKernel const& call_kernel) const;
  Status run_body(Call const& call, size_t body, CallKernel const& call_kernel) const;
  Status run_loop(Call const& call, CallKernel const& call_kernel) const;
  Result<bool> run_round(Call const& call, int64_t round, CallKernel const& call_kernel) const;
  void copy(std::vector<Copy> const& copies) const;
  void take(Row const& row, int64_t round) const;
  void give(Row const& row, int64_t round) const;
  template <typename T>
  T value_at(Buffer const& buffer) const;
  bool holds(Buffer const& condition) const;

  Processor* processor_;
  Memory memory_;
  std::vector<Call> calls_;
};

}  // namespace tw::package
