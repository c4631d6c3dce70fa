/// What XGBoost learned, as our own trees. Reads its model file; knows nothing of its library.
#pragma once

#include <string_view>

#include "engine/learning/tree_ensemble.h"

namespace tw {

/// From the JSON of XGBoost 1.6 and later: trees ("gbtree") for one number, whose objective leaves
/// the sum of the leaves as it is (squared error, ranking by pairs). Errors: not_a_model (damage),
/// unknown_model (another kind), damaged_trees.
Result<TreeEnsemble> parse_xgboost_model(std::string_view json);

}  // namespace tw
