/// Primitives that stand for several steps.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// The steps one after the other as one rewriting of the move's program: cursors lead from the
/// program before the first step to the program after the last. The first refusal is the answer,
/// told of the loops of the program before the first step: nobody has seen those that are made on
/// the way.
std::expected<Applied, Refusal> run_steps(StepRequest const& request,
                                          std::vector<Step> const& steps);

/// Goes on from where loops were led before a step.
void follow(CursorMap& cursors, CursorMap const& step);

/// A refusal of a step on the way told of the loops of the program before the first step, which
/// `cursors` lead from.
Refusal retold(Refusal refusal, ir::Program const& before, ir::Program const& on_the_way,
               CursorMap const& cursors);

}  // namespace tw
