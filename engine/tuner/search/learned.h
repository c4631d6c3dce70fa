/// What the learned search is made with; the ones here are what replays of measured spaces chose.
#pragma once

#include "engine/tuner/model/annealing.h"
#include "engine/tuner/model/transfer_history.h"
#include "engine/tuner/search/learning.h"
#include "engine/tuner/search/search.h"

namespace tw {

struct LearnedOptions {
  PointModelOptions model;
  Acquisition acquisition = Acquisition::kMean;
  double deviations = 1;                              ///< of the upper confidence bound
  bool rule_first = true;                             ///< false: nothing is known but the space
  std::shared_ptr<TransferHistory const> experience;  ///< of other kernels; null: none
  AnnealingOptions chains;
  size_t first = 12;        ///< by the target's own model and by how different they are
  size_t batch = 12;        ///< between two times of learning
  double by_chance = 0.05;  ///< of each batch
  double diversity = 0.01;  ///< what another value of a knob may cost, as a share of the time
  /// How many times the batch the best are that it is chosen from: "lambda" of the paper.
  size_t choice = 4;
  size_t from_chains = 10;  ///< points that go through the template before each batch
  size_t from_best = 5;     ///< the same of those near the best so far
};

std::unique_ptr<Search> make_learned_search(Space const& space, uint64_t seed,
                                            LearnedOptions const& options);

}  // namespace tw
