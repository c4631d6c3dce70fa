/// The passes that kernels of a processor go through, in their order.
#pragma once

#include <vector>

#include "engine/lowering/passes.h"

namespace tw::testing {

inline std::vector<Pass> all_passes() {
  return {hoist_reduction_init(),
          lower_blocks(),
          simplify_kernel().because("for the test"),
          unswitch_symbolic(),
          compact_tensors(),
          peel_symbolic_tails(),
          bound_symbolic_loops(),
          partition_loops(),
          predicate_updates(),
          flatten_buffers(),
          vectorize_loops(),
          unroll_loops(),
          simplify_kernel().because("for the test"),
          promote_accumulators(),
          plan_workspace(),
          read_sizes()};
}

}  // namespace tw::testing
