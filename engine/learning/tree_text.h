/// Ensembles of trees as text, for files and records.
///
///   tilewright trees 1
///   features 128
///   bias 0.25
///   tree 1                 its depth
///   12<0.5                 splits by level; `12<?0.5`: rows without feature 12 go left
///   -0.1 0.3               leaves
///   end 00c0ffee00c0ffee   hash of all above
#pragma once

#include <string>
#include <string_view>

#include "engine/learning/tree_ensemble.h"

namespace tw {

/// Every number has as many digits as it needs to be read back the same.
std::string to_text(TreeEnsemble const& trees);

/// Errors: not_trees, unknown_version, damaged_trees; each a sentence, with the line.
Result<TreeEnsemble> parse_trees(std::string_view text);

}  // namespace tw
