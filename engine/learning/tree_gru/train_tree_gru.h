/// Training of the recursive network: by gradients (Adam, Kingma and Ba 2015), with nobody's help.
#pragma once

#include "engine/learning/objective.h"
#include "engine/learning/tree_gru/tree_gru.h"
#include "engine/support/base/job.h"

namespace tw {

/// What it learns from. Higher targets are better ones.
struct TreeRows {
  std::vector<FeatureTree const*> trees;  ///< they outlive the training; of one width
  std::vector<float> targets;
  std::vector<int32_t> groups;           ///< the task of each; empty: all one task
  std::vector<float> prediction_so_far;  ///< of a model that is given; empty: 0

  size_t rows() const { return trees.size(); }
};

/// The sizes are smaller than the paper's (128 and 128): with a few hundred measured points they
/// order as well, and take a tenth of the time.
struct TreeGruOptions {
  Objective objective = Objective::kPairwiseRank;
  int embedding = 32, hidden = 32, slot_count = 4;
  double learning_rate = 3e-3;
  double weight_decay = 1e-4;  ///< of each step, times the learning rate
  double longest_gradient = 5;
  int batch = 32;   ///< rows of a step
  int steps = 300;  ///< at most
  /// Rows that are not learned from, to see when to stop; none where that is fewer than four.
  double held_out = 0.15;
  int check_after = 10;  ///< steps between two looks at them
  int patience = 8;      ///< looks without a lower loss that end it; 0: none do
  uint64_t seed = 0;
};

struct TrainedTreeGru {
  TreeGru model;
  int steps = 0;
  double loss = 0;         ///< the least, of rows that were held out if there were any
  bool converged = false;  ///< patience ended it; the model is the one of the least loss
};

/// The same rows, options and previous model give the same result. With `previous` it goes on from
/// those weights, whatever task they are of; the sizes are then those. Errors: no_rows,
/// rows_differ, not_a_number, bad_option, other_features (a width that is not the previous one's),
/// training_failed (nothing finite came of it), cancelled.
Result<TrainedTreeGru> train_tree_gru(TreeRows const& rows, TreeGruOptions const& options,
                                      StopToken stop = {}, TreeGru const* previous = nullptr);

}  // namespace tw
