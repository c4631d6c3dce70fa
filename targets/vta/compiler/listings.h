/// What the window and the command line show of a kernel's code.
#pragma once

#include "engine/backend/backend.h"
#include "targets/vta/stream/jit.h"

namespace tw::vta {

CodeListing calls_listing(CallProgram const& program, std::string key);
struct StreamListing {
  CodeListing listing;
  int64_t instructions = 0;
};
/// A stream's text (hardware/assembly.h) with numbered instructions, micro-ops last, for
/// `sample_addresses`. Errors: those of `make_batches`.
Result<StreamListing> instructions_listing(CallProgram const& program, std::string key);

/// Addresses for who looks at streams without a device: parameters one after another, each where a
/// page begins, then the micro-ops.
Addresses sample_addresses(CallProgram const& program);
/// Bytes of main memory that those take, with so many micro-ops.
int64_t sample_memory(CallProgram const& program, int64_t uops);

}  // namespace tw::vta
