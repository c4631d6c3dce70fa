/// Barriers with phases in shared memory, by which roles of a block wait for each other: mbarrier
/// of sm_80 and later.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/lowering/pipeline.h"

namespace tw {
struct DeviceShell;
}

namespace tw::cuda {

/// Declares what opens them, arrives and waits, and the word that asks for roles.
void add_phase_barriers(Target& target);
/// Inserts the pass that splits threads by roles.
void add_role_passes(std::vector<Pass>& passes);
/// What stands for their calls in PTX, and in CUDA C.
void add_phase_calls(DeviceShell& shell);
void add_phase_texts(std::map<std::string, std::string, std::less<>>& calls);

}  // namespace tw::cuda
