/// A scheduled program as a tree of numbers: a node for the whole of it, one for each loop with
/// what is said of it, and one for each block, in the program's order ("Learning to Optimize Tensor
/// Programs", Chen et al. 2018, figure 3d). No knob is named: any two programs are trees of one
/// kind.
#pragma once

#include <optional>

#include "engine/analysis/time_model.h"
#include "engine/ir/program.h"
#include "engine/learning/feature_tree.h"

namespace tw {

/// Of a loop with several blocks in it: what is said of the one that is run most often. Of the
/// whole the shares of its time that `modelled` says arithmetic and the levels of memory take.
/// Errors: not_a_number.
Result<FeatureTree> program_tree(ir::Program const& program,
                                 std::optional<analysis::TimeModel> const& modelled = {});
size_t program_tree_width();

}  // namespace tw
