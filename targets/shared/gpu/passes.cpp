#include "targets/shared/gpu/passes.h"

#include <algorithm>

#include "engine/lowering/passes.h"

namespace tw::gpu {

std::vector<Pass> launch_passes(SmallLoops small_loops) {
  std::vector<Pass> passes{
      factor_thread_sums(),
      hoist_reduction_init().because("before blocks are lowered: they tell what starts a sum"),
      lower_blocks(),
      simplify_kernel().because("before tensors shrink: indices in their simplest form show reach"),
      sink_allocations(),
      compact_tensors().because(
          "before threads are launched: tensors are as large as what is left"),
      interleave_virtual_threads(),
      unify_thread_bindings(),
      insert_async_waits(),
      insert_barriers(),
      unswitch_guards(),
      simplify_kernel().because("before memory is counted: conditions that always hold are gone"),
      check_target().because("before tensors get places: memories still have the target's names"),
      flatten_buffers().because("a tensor is a pointer there: one offset each"),
      plan_workspace().because("before launches are cut: what they share has its place"),
      cut_launches(),
      read_sizes().because("last: all passes before it use the ranges of the sizes"),
  };
  if (small_loops == SmallLoops::kChosen)
    passes.insert(std::ranges::find(passes, std::string("check_target"), &Pass::name),
                  choose_unrolled_loops());
  return passes;
}

std::vector<Pass> model_passes() {
  std::vector<Pass> passes = launch_passes(SmallLoops::kChosen);
  auto end = std::ranges::find(passes, std::string("plan_workspace"), &Pass::name);
  passes.erase(end, passes.end());
  std::erase_if(passes, [](Pass const& one) { return one.name == "check_target"; });
  return passes;
}

}  // namespace tw::gpu
