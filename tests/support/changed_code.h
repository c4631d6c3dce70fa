/// Lowered kernels without one of their waits or barriers, or with a wait that is too lenient: what
/// is needed of them shows when they are interpreted.
#pragma once

#include <set>

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"

namespace tw::testing {

inline bool is_wait(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && call->intrinsic->completion == ir::Completion::kWaits;
}
inline bool is_barrier(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && call->intrinsic->barrier;
}

inline bool is_of_phases(ir::Stmt const& s) {
  auto const* call = s.as<ir::IntrinsicCall>();
  return call && ir::has_phases(call->intrinsic->completion);
}

inline int count_in(ir::KernelIr const& kernel, bool (*is_one)(ir::Stmt const&)) {
  int count = 0;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) { return count += is_one(s), true; });
  return count;
}

/// How many groups each wait lets be under way.
inline std::vector<int64_t> waits_in(ir::KernelIr const& kernel) {
  std::vector<int64_t> waits;
  ir::walk(kernel.host.body, [&](ir::Stmt const& s) {
    if (is_wait(s)) waits.push_back(*ir::as_int(s.to<ir::IntrinsicCall>().operands[0].value));
    return true;
  });
  return waits;
}

/// Statement `number`, from 0, of those that `is_one` finds, as `f` makes it.
template <typename F>
ir::KernelIr changed(ir::KernelIr kernel, int number, bool (*is_one)(ir::Stmt const&), F const& f) {
  int at = 0;
  kernel.host.body = ir::rewrite_stmts(kernel.host.body, [&](ir::Stmt const& s) -> ir::Stmt {
    return is_one(s) && at++ == number ? f(s) : ir::Stmt();
  });
  return kernel;
}

inline ir::Stmt nothing(ir::Stmt const&) { return ir::seq({}); }

/// One group more may be under way.
inline ir::Stmt with_one_more(ir::Stmt const& wait) {
  auto const& call = wait.to<ir::IntrinsicCall>();
  int64_t groups = *ir::as_int(call.operands[0].value);
  return ir::make<ir::IntrinsicCall>(call.intrinsic,
                                     std::vector<ir::Operand>{{ir::int_imm(groups + 1), {}}});
}

/// Whether the interpreter finds a race, a copy that was not waited for, or roles that wait for
/// what does not come, in some order of the threads.
inline bool is_found(ir::KernelIr const& kernel, std::vector<NDArray> const& inputs,
                     ir::Sharing const& sharing) {
  static std::set<std::string> const kFaults{
      "used_in_flight", "overwritten_in_flight", "released_in_flight", "never_waited_for",
      "race",           "roles_stuck",           "mistaken_phase",     "phase_not_open"};
  for (uint64_t seed = 1; seed < 20; ++seed)
    if (auto outputs = ir::interpret(kernel, inputs.size(), inputs,
                                     {.shuffle_seed = seed, .sharing = &sharing});
        !outputs)
      return kFaults.contains(outputs.error().code);
  return false;
}

}  // namespace tw::testing
