/// Schedules by rule: what a stage is for decides how its loops are shaped. No rule knows a shape.
#pragma once

#include <optional>
#include <string>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"
#include "engine/target/target.h"
#include "targets/cpu/compiler/rules/building.h"

namespace tw {

/// A window that adds so few terms (depthwise, pooling) waits for memory.
constexpr int64_t kFewTerms = 64;

/// A script ("tilewright schedule 1 ...") for the whole program, stage by stage.
Result<std::string> cpu_default_script(ir::Program const& program, Target const& target);

/// Stages that reduce nothing: vectors along the last axis, threads along the first.
void elementwise_rule(Building& building, RuleStage const& stage, Target const& target,
                      int64_t width);
/// Reductions: a register tile of spatial points (lanes along one axis, copies along others) inside
/// of the reduction loops. `reader`: the one stage that reads the result, computed tile by tile
/// where that is legal. Answers whether it was.
bool reduction_rule(Building& building, RuleStage const& stage, RuleStage const* reader,
                    Target const& target, int64_t width);

}  // namespace tw
