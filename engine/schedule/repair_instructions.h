/// How a nest becomes what an instruction does.
#pragma once

#include <vector>

#include "engine/schedule/schedule.h"

namespace tw {

/// Steps that bring the block at the loop of a refused `tensorize` to the instruction, with the
/// same instruction at the end: axes padded where it cannot be done without, the sum started
/// outside, tensors packed, loops split and put inside. Empty: none were found, or the block
/// computes something else.
std::vector<Step> steps_to_instruction(Schedule const& schedule, Step const& tensorize);

}  // namespace tw
