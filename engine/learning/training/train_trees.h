/// Training of boosted trees by XGBoost, which nobody else knows.
#pragma once

#include "engine/learning/bootstrap.h"
#include "engine/learning/objective.h"
#include "engine/support/base/job.h"

namespace tw {

/// The defaults are those of the authors' code for XGBoost, but for rounds, pairs and bins.
struct TrainOptions {
  Objective objective = Objective::kPairwiseRank;
  /// Rows that each is compared with in a round, drawn from its group. Equation 2 takes all pairs;
  /// XGBoost's own default is 1, with which few rows teach little.
  int pairs_per_row = 16;
  int depth = 3;  ///< of a tree, 1 .. kMostTreeDepth
  double learning_rate = 0.3;
  double least_gain = 1e-4;       ///< of a split ("gamma")
  double least_child_weight = 1;  ///< of the rows on either side of a split
  double row_share = 1;           ///< of the rows that a tree sees ("subsample"), above 0, up to 1
  /// Values of a feature at which it can be split; 0: all. Features of schedules have few values:
  /// 64 are as good, and a thousand rows take a fifth of the time.
  int bins = 64;
  int rounds = 400;       ///< at most; a round makes a tree
  int patience = 20;      ///< rounds without a better average recall that end it; 0: none do
  size_t recall_at = 64;  ///< of the recall that is watched: rows measured at a time
  uint64_t seed = 0;
  int threads = 1;  ///< with the same number, the same trees
};

struct TrainedTrees {
  TreeEnsemble trees;         ///< those of `previous` first
  int rounds = 0;             ///< that were made now
  double average_recall = 0;  ///< of `trees` on the rows, the mean over groups; 0: no round was
  bool converged = false;     ///< patience ended it: trees after the best round were dropped
};

/// The same rows, options and previous trees give the same result. With `previous`, the new trees
/// go on from it (a warm start). Where the rows have a prediction so far, the trees learn what it
/// lacks, and whoever predicts adds both (equation 4). Weights of a group's rows are averaged by
/// the rank objective. Errors: those of `check`, bad_option, other_features (previous trees are
/// for rows of another width), training_failed, cancelled (asked between rounds).
Result<TrainedTrees> train_trees(TrainingRows const& rows, TrainOptions const& options,
                                 StopToken stop = {}, TreeEnsemble const* previous = nullptr);

/// `count` ensembles (1 or more), each on as many rows of every group, drawn with replacement by
/// the options' seed. Errors: as above.
Result<Bootstrap> train_bootstrap(TrainingRows const& rows, TrainOptions const& options, int count,
                                  StopToken stop = {});

}  // namespace tw
