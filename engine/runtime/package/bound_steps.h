/// The steps of a description over memory and a loaded library: ready to run, many times.
#pragma once

#include <functional>
#include <vector>

#include "engine/runtime/package/description.h"
#include "engine/runtime/processor.h"

namespace tw::package {

/// Where the regions of a description lie, each as large as it says.
struct Memory {
  std::vector<void*> inputs, outputs;
  void *parameters = nullptr, *arena = nullptr, *workspace = nullptr;
  void* address(Buffer const& buffer) const;
};

class BoundSteps {
public:
  /// Runs one kernel; what it refuses ends the run.
  using CallKernel =
      std::function<Status(std::string const& symbol, void* kernel, void* const* buffers)>;

  /// `steps` and `library` must outlive it. Errors: symbol_not_found.
  static Result<BoundSteps> bind(std::vector<Step> const& steps, KernelLibrary& library,
                                 Memory memory);

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
    std::vector<void*> buffers;
    std::vector<std::vector<Call>> bodies;
  };
  explicit BoundSteps(Memory memory) : memory_(std::move(memory)) {}
  Result<std::vector<Call>> bind_all(std::vector<Step> const& steps, KernelLibrary& library) const;
  void place(std::vector<Call>& calls) const;
  Status run_all(std::vector<Call> const& calls, CallKernel const& call_kernel) const;
  Status run_body(Call const& call, size_t body, CallKernel const& call_kernel) const;
  Status run_loop(Call const& call, CallKernel const& call_kernel) const;
  Result<bool> run_round(Call const& call, int64_t round, CallKernel const& call_kernel) const;
  void copy(std::vector<Copy> const& copies) const;
  void take(Row const& row, int64_t round) const;
  void give(Row const& row, int64_t round) const;
  bool holds(Buffer const& condition) const;

  Memory memory_;
  std::vector<Call> calls_;
};

}  // namespace tw::package
