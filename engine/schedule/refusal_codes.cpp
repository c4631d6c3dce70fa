#include "engine/schedule/refusal_codes.h"

#include <algorithm>

#include "engine/schedule/legality/bound_loops.h"

namespace tw {

std::span<std::string_view const> refusals_of_any_step() {
  static constexpr std::string_view kCodes[] = {
      "across_a_barrier",    "ambiguous_loop", "argument_out_of_range",
      "bad_argument",        "bad_name",       "block_is_a_call",
      "call_in_vector_loop", "invalid_result", "loop_twice",
      "missing_argument",    "name_taken",     "no_intrinsics",
      "no_size_open",        "no_thread_axes", "no_words",
      "not_for_every_size",  "order_of_turns", "other_kernel",
      "program_has_calls",   "scope_overflow", "sizes_open",
      "tensor_too_large",    "too_many_loops", "too_many_sizes",
      "unknown_argument",    "unknown_block",  "unknown_loop",
      "unknown_primitive",   "wrong_names",    "wrong_targets"};
  return kCodes;
}

std::span<std::string_view const> refusals_while_bound() {
  static constexpr std::string_view kCodes[] = {"axis_too_short",     "bound_loops_do_not_nest",
                                                "dependence_carried", "not_shared_work",
                                                "order_carried",      "reduction_carried",
                                                "sum_over_blocks",    "too_many_threads",
                                                "undecided",          "unknown_axis"};
  return kCodes;
}

bool may_refuse(Primitive const& primitive, ir::Program const& program, std::string_view code) {
  auto has = [&](auto const& codes) { return std::ranges::binary_search(codes, code); };
  return has(primitive.refuses) || has(refusals_of_any_step()) ||
         (has_bound_loops(program) && has(refusals_while_bound()));
}

}  // namespace tw
