#include "engine/schedule/legality/whole_program.h"

#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/legality/memory_use.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/rewriting/expand_calls.h"

namespace tw {

std::expected<void, Refusal> holds_as_a_whole(ir::Program const& before, ir::Program const& after,
                                              Target const& target) {
  if (Status valid = ir::verify(after); !valid)
    return refuse("invalid_result", valid.error().message, "the resulting program must be valid",
                  {});
  if (auto room = memories_hold(before, after, target); !room) return room;
  if (!has_bound_loops(after)) return {};
  return bound_loops_hold(with_calls_expanded(after), target, "bind", ProofBudget::kTrusted);
}

}  // namespace tw
