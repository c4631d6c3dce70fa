/// What a point is predicted to take: trees over its knobs, and over what the target's own model
/// says of it. Learns how far that model is off, so that where nothing was measured the model alone
/// speaks ("Learning to Optimize Tensor Programs", Chen et al. 2018, with a prior).
#pragma once

#include "engine/analysis/time_model.h"
#include "engine/learning/training/train_trees.h"
#include "engine/tuner/features/knob_features.h"

namespace tw {

/// A point as the model sees it.
struct SeenPoint {
  Coordinates coordinates;
  std::optional<analysis::TimeModel> modelled;  ///< nothing: the target says nothing
};
struct MeasuredPoint {
  SeenPoint point;
  double seconds = 0;
};

struct PointModelOptions {
  /// With the rank objective predictions are an order, and no times.
  Objective objective = Objective::kRegression;
  int rounds = 40;
  int depth = 4;
  double learning_rate = 0.2;
  bool with_prior = true;  ///< false: the knobs alone
};

class PointModel {
public:
  explicit PointModel(PointModelOptions const& options) : options_(options) {}

  /// From all that was measured. Errors: those of training.
  Status learn(KnobFeatures const& features, std::span<MeasuredPoint const> measured,
               uint64_t seed);
  /// From what was right and what was not, which has no time that could be learned.
  Status learn_failures(KnobFeatures const& features, std::span<MeasuredPoint const> right,
                        std::span<SeenPoint const> failed, uint64_t seed);
  bool learned() const { return learned_; }
  /// Whether predictions are logarithms of seconds: else lower ones are only better ones.
  bool says_times() const { return learned_ && options_.objective == Objective::kRegression; }

  /// By knobs alone, as chains need it: many, at once.
  std::vector<float> by_knobs(KnobFeatures const& features,
                              std::span<Coordinates const> points) const;
  /// By all that is known.
  std::vector<float> predict(KnobFeatures const& features, std::span<SeenPoint const> points) const;

  /// How likely it is that a point fails, about 0 to 1; all 0 where nothing has failed.
  std::vector<float> failing(KnobFeatures const& features, std::span<SeenPoint const> points) const;

private:
  std::vector<float> rows(KnobFeatures const& features, std::span<SeenPoint const> points) const;
  double prior(SeenPoint const& point) const;

  PointModelOptions options_;
  bool learned_ = false;
  size_t knob_width_ = 0;  ///< that the trees are for
  double level_ = 0;       ///< of the logarithms that the trees correct
  TreeEnsemble quick_, full_;
  size_t failing_width_ = 0;  ///< 0: nothing has failed
  TreeEnsemble failing_;
};

}  // namespace tw
