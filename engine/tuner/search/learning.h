/// What may be chosen of a search that learns: the quantities of "Learning to Optimize Tensor
/// Programs" (Chen et al. 2018), sections 3.2 and 3.3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/learning/objective.h"
#include "engine/tuner/model/model_kind.h"

namespace tw {

/// What is made largest of a point that was predicted.
enum class Acquisition : uint8_t {
  kMean,
  kExpectedImprovement,  ///< needs more than one ensemble, and times
  kUpperConfidence,      ///< the same
};

/// The values here are what replays of measured spaces chose.
struct Learning {
  ModelKind model{};
  Objective objective = Objective::kRegression;
  Acquisition acquisition = Acquisition::kMean;
  double deviations = 1;  ///< of the upper confidence bound
  /// How many times the batch the best are that it is chosen from: "lambda" of the paper.
  size_t choice = 4;
  double by_chance = 0.05;  ///< of each batch: "epsilon"
  bool operator==(Learning const&) const = default;
};

/// Of "objective=rank", "acquisition=ei", "deviations=2", "lambda=8", "epsilon=0.1". Errors:
/// bad_learning, with what there is, and for what does not go together.
Result<Learning> learning_of(std::vector<std::string> const& settings, ModelKind model);
/// What `learning_of` takes; only what is not as usual.
std::vector<std::string> settings_of(Learning const& learning);

}  // namespace tw
