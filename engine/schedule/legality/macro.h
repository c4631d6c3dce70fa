/// Primitives that stand for several steps.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// The steps one after the other as one rewriting: cursors lead from the program before the first
/// step to the program after the last. The first refusal is the answer, told of the loops of the
/// program before the first step: nobody has seen those that are made on the way.
std::expected<Applied, Refusal> run_steps(ir::Program const& program,
                                          std::vector<Step> const& steps,
                                          Effort effort = Effort::kWork);

}  // namespace tw
