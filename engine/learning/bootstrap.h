/// Several ensembles, each trained on a resample of the same rows: where they disagree, the rows
/// said little (Chen et al. 2018, section 3.3; five of them in section 6.1).
#pragma once

#include "engine/learning/tree_ensemble.h"

namespace tw {

struct Uncertain {
  std::vector<float> means;
  std::vector<float> deviations;  ///< standard ones, of a sample: 0 where there is one ensemble
};

struct Bootstrap {
  std::vector<TreeEnsemble> ensembles;  ///< one or more, for rows of one width

  Uncertain predict(FeatureTable rows) const;
};

}  // namespace tw
