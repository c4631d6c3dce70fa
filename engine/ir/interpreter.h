/// Runs programs and kernel IR statement by statement: slow, simple, and the judge of every
/// schedule. Every access is checked against its buffer's shape.
#pragma once

#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/sharing.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"

namespace tw::ir {

struct InterpretOptions {
  int64_t max_steps = 2'000'000'000;  ///< statements executed before it gives up (`too_many_steps`)
  /// Iterations of parallel, vector and bound loops run in an order shuffled with this seed (0: in
  /// order): a wrong annotation then shows as a wrong result.
  uint64_t shuffle_seed = 0;
  std::vector<int64_t> sizes;  ///< values of the size parameters
  /// Bound loops run as blocks and threads that meet at barriers, and races are found. Null: their
  /// iterations run one after the other, and a barrier among them is refused.
  Sharing const* sharing = nullptr;
  /// Calls run only with the registers that they need (`IntrinsicNode::needs`); without, as if all
  /// were set for each.
  bool registers = false;
  StopToken stop;
};

/// Inputs as declared; returns the outputs. Locals and outputs start as NaN (floats) or a poison
/// number, so that an element never written is seen. Errors: index_out_of_range with the access,
/// shape_mismatch, division_by_zero, too_many_steps, cancelled. With `sharing`, each with the
/// iterations that it is about: race; divergent_barrier, where some of those that have to meet do
/// not come; another_instance, where threads use what one thread has for itself; not_launched,
/// where loops of threads are not around everything that threads do; unknown_axis. And of copies
/// that were started (`Completion`): used_in_flight, where what one writes is used before a wait of
/// the thread that started it; overwritten_in_flight, of what it reads; released_in_flight, where a
/// tensor of either goes away; never_waited_for. With `registers`: wrong_register, with what it
/// holds and what the call needs.
Result<std::vector<NDArray>> interpret(Program const& program, std::vector<NDArray> const& inputs,
                                       InterpretOptions const& options = {});
Result<std::vector<NDArray>> interpret(KernelIr const& kernel, size_t input_count,
                                       std::vector<NDArray> const& inputs,
                                       InterpretOptions const& options = {});

}  // namespace tw::ir
