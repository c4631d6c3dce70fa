/// What is done before what, in every run of a stream: program order within a module, and the k-th
/// pop of a queue after its k-th push.
#pragma once

#include <array>

#include "targets/vta/simulator/tokens.h"

namespace tw::vta {

struct HappensBefore {
  /// How many instructions of each module are done before one begins.
  using Clock = std::array<int32_t, kModules>;

  std::vector<Module> module;                      ///< per instruction
  std::vector<int32_t> index;                      ///< among those of its module
  std::vector<Clock> before;                       ///< of those that run
  std::array<std::vector<int32_t>, kModules> ran;  ///< per module, the instructions that run
  /// Per queue, the instructions that push and that pop, in order.
  std::array<std::vector<int32_t>, kTokenQueues> pushers, poppers;
  std::string deadlock;  ///< empty: all of them run

  /// Both run.
  bool is_before(int64_t a, int64_t b) const {
    return before[size_t(b)][size_t(module[size_t(a)])] > index[size_t(a)];
  }
};

/// As if every queue had room; `deadlock` is also that of modules that wait for room in full ones.
/// Errors: no_finish, those of an instruction that cannot be.
Result<HappensBefore> happens_before(Configuration const& configuration,
                                     std::span<Instruction const> stream);

}  // namespace tw::vta
