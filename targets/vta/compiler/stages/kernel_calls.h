/// A lowered kernel as the calls of the accelerator's runtime: loops around calls run as it is
/// compiled, virtual threads take turns, tensors get places, tokens order what must be ordered.
#pragma once

#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "targets/vta/stream/calls.h"

namespace tw::vta {

/// What a nest becomes is moved from position to position of the loops around, or made anew in
/// each: the calls are the same.
enum class NestCalls : uint8_t { kMoved, kAnew };

struct CallLimits {
  int64_t most_calls = 1 << 20;
  NestCalls nests = NestCalls::kMoved;
};

/// `lines`: the printed kernel that calls refer to; null: they refer to none. Errors: those of
/// `calls_of`; scope_overflow, with the tensors that are there at once; too_many_calls.
Result<CallProgram> kernel_calls(ir::KernelIr const& kernel, Configuration const& configuration,
                                 ir::PrintedProgram const* lines, CallLimits const& limits = {});

}  // namespace tw::vta
