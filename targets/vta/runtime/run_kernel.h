/// A call program with what was made of it for the addresses that it was called with last.
#pragma once

#include "targets/vta/runtime/driver.h"
#include "targets/vta/stream/jit.h"

namespace tw::vta {

class LoadedKernel {
public:
  explicit LoadedKernel(CallProgram program);
  CallProgram const& program() const { return program_; }

  /// `tensors`: an address each. One that lies at no multiple of its elements is copied to one that
  /// does, and back. Errors: those of `make_batches` and of the driver.
  Status run(Driver& driver, std::vector<uint64_t> tensors, std::chrono::milliseconds limit);

private:
  Status run_aligned(Driver& driver, std::vector<uint64_t> const& tensors,
                     std::chrono::milliseconds limit);
  Status run_batch(Driver& driver, Batch const& batch, uint64_t uops, uint64_t stream,
                   std::chrono::milliseconds limit);
  Status prepare(std::vector<uint64_t> const& tensors, uint64_t uops);

  CallProgram program_;
  std::vector<int64_t> alignments_;
  Addresses made_for_;
  std::vector<Batch> batches_;  ///< empty: nothing was made yet
};

}  // namespace tw::vta
