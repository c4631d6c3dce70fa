/// Barriers with phases in shared memory, by which roles of a block wait for each other: mbarrier
/// of sm_80 and later.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/lowering/pipeline.h"

namespace tw {
struct DeviceShell;
}

namespace tw::cuda {

inline constexpr char kOpenName[] = "open_phases", kArriveName[] = "arrive",
                      kDeliverName[] = "arrive_with_copies", kAwaitName[] = "await_phase";

/// Inline PTX in which what begins with '@' is replaced: by "$0" for LLVM, by "%%0" for CUDA C.
std::string with_operands(std::string text,
                          std::vector<std::pair<std::string, std::string>> const& operands);

/// Declares what opens them, arrives and waits, and the word that asks for roles.
void add_phase_barriers(Target& target);
/// Inserts the pass that splits threads by roles.
void add_role_passes(std::vector<Pass>& passes);
/// What stands for their calls in PTX, and in CUDA C.
void add_phase_calls(DeviceShell& shell);
void add_phase_texts(std::map<std::string, std::string, std::less<>>& calls);

}  // namespace tw::cuda
