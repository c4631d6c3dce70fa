/// How schedules for the machine of blocks and threads are lowered.
#pragma once

#include <vector>

#include "engine/lowering/passes.h"
#include "tests/support/thread_machine.h"

namespace tw::testing {

/// The passes that launch threads and place their barriers.
inline std::vector<Pass> thread_passes() {
  return {hoist_reduction_init(),
          lower_blocks(),
          simplify_kernel().because("for the test"),
          sink_allocations(),
          compact_tensors(),
          interleave_virtual_threads(),
          unify_thread_bindings(),
          insert_async_waits(),
          insert_barriers(),
          simplify_kernel().because("for the test"),
          check_target()};
}

}  // namespace tw::testing
