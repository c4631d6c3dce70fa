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

/// Of the whole program, stage by stage; without answers in `decisions` the schedule by rule.
Schedule cpu_schedule(ir::Program const& program, std::shared_ptr<Target const> const& target,
                      Decisions& decisions);

/// Stages that reduce nothing: vectors along the last axis, threads along the first.
void elementwise_rule(Building& building, RuleStage const& stage, Target const& target,
                      int64_t width);
/// A matrix that is read row after row: times a vector, times a few where it is large and was not
/// packed, or a sum over its rows. A few rows at a time are added into sums that lie in the nearest
/// cache, so that memory is read in long rows. Nothing when the stage is something else; otherwise
/// whether `reader` was computed with it.
std::optional<bool> vector_product_rule(Building& building, RuleStage const& stage,
                                        RuleStage const* reader, Target const& target,
                                        int64_t width);
/// A matrix read at [.., k, j], where the sum is over k and lanes go along j, whose rows are so
/// long or so many that going down a panel (some neighbouring columns) misses the TLB, or evicts
/// the panel from the L2 cache before another row of the product reads it again.
bool has_far_rows(ir::Load const& read, RuleStage const& stage, Target const& target);
/// Such a matrix is packed into panels for a product of many rows: a panel's columns lie side by
/// side. Whether the stage reads one, and the copy's block, or "" where the step is refused.
bool wants_panels(RuleStage const& stage, Target const& target);
std::string copy_in_panels(Building& building, RuleStage const& stage, Target const& target);
/// The copy is made panel by panel, at the product's loop over them; false when that is refused.
bool place_panel_copy(Building& building, RuleStage const& stage, RuleStage const& copy,
                      int64_t width);
/// Reductions: a register tile of spatial points (lanes along one axis, copies along others) inside
/// of the reduction loops. `reader`: the one stage that reads the result, computed tile by tile
/// where that is legal. Answers whether it was.
bool reduction_rule(Building& building, RuleStage const& stage, RuleStage const* reader,
                    Target const& target, int64_t width);

}  // namespace tw
