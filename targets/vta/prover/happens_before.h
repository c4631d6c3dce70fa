/// What is done before what, in every run of a stream: program order within a module, and the k-th
/// pop of a queue after its k-th push.
#pragma once

#include <array>

#include "engine/order/happens_before.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta {

/// Of the order course whose agents are the modules and whose events are the instructions.
struct TokenOrder {
  order::HappensBefore events;
  /// Per queue, the instructions that push and that pop, in order.
  std::array<std::vector<int32_t>, kTokenQueues> pushers, poppers;
  std::string deadlock;  ///< empty: all of them run

  /// The instructions of a module that run.
  std::vector<int32_t> const& ran(Module module) const { return events.ran(int32_t(module)); }
  /// How many instructions of `module` are done before one begins.
  int32_t before(int32_t instruction, Module module) const {
    return events.before(instruction, int32_t(module));
  }
  /// Both run.
  bool is_before(int64_t a, int64_t b) const { return events.is_before(a, b); }
};

/// As if every queue had room; `deadlock` is also that of modules that wait for room in full ones.
/// Errors: no_finish, those of an instruction that cannot be.
Result<TokenOrder> happens_before(Configuration const& configuration,
                                  std::span<Instruction const> stream);

}  // namespace tw::vta
