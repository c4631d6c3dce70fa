/// What a point is predicted to take: boosted trees over its knobs, and over what the target's own
/// model says of it, or a network over its loops. Learns how far that model is off, so that where
/// nothing was measured the model alone speaks ("Learning to Optimize Tensor Programs", Chen et al.
/// 2018, with a prior).
#pragma once

#include <memory>
#include <string_view>

#include "engine/analysis/time_model.h"
#include "engine/learning/training/train_trees.h"
#include "engine/learning/tree_gru/train_tree_gru.h"
#include "engine/tuner/features/knob_features.h"
#include "engine/tuner/model/model_kind.h"

namespace tw {

/// What the trees read of a point.
enum class Representation : uint8_t {
  kKnobs,     ///< its knobs: they mean nothing in another space
  kContext,   ///< its loops, each with what is said of it
  kRelation,  ///< what its loops do with memory, whichever does it
};

/// A point as the model sees it.
struct SeenPoint {
  Coordinates coordinates;
  std::optional<analysis::TimeModel> modelled;  ///< nothing: the target says nothing
  /// Of the program, where the representation is not the knobs; the same for all points.
  std::shared_ptr<std::vector<float> const> loops = {};
  /// The program, where a network reads it; null: it has no block.
  std::shared_ptr<FeatureTree const> program = {};
  double experienced = 0;  ///< what other kernels' trials say, as a logarithm; more is slower
};
struct MeasuredPoint {
  SeenPoint point;
  double seconds = 0;
};

struct PointModelOptions {
  ModelKind kind = ModelKind::kTrees;
  /// With the rank objective predictions are an order, and no times.
  Objective objective = Objective::kRegression;
  int rounds = 40;
  int depth = 4;
  double learning_rate = 0.2;
  bool with_prior = true;  ///< false: what was measured alone
  Representation representation = Representation::kKnobs;
  /// What other kernels' trials say is believed as far as it was right here; at first as if so many
  /// trials had shown that it is, and after these many half as much, however right it was.
  double first_trust_trials = 4;
  double trust_halves_after = 32;
  /// More than one: each from a resample of what was measured, so that they say how sure they are.
  /// Of trees alone.
  int ensembles = 1;
  /// Its objective is the one above, its seed that of learning. So few steps that nothing has to be
  /// held out to see when to stop: with hundreds of points every one is missed.
  TreeGruOptions network = {.steps = 80, .held_out = 0, .patience = 0};
  int steps_again = 40;  ///< of a network that has learned and goes on with more
  /// What other kernels taught a network: it begins with that, and says it before it has learned.
  std::shared_ptr<TreeGru const> taught = {};
};

/// Logarithms of seconds, or an order; lower is better.
struct Predicted {
  std::vector<float> means;
  std::vector<float> deviations;  ///< 0 where there is one ensemble
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
  /// The same, and how far the ensembles are apart.
  Predicted predict_surely(KnobFeatures const& features, std::span<SeenPoint const> points) const;

  /// How likely it is that a point fails, about 0 to 1; all 0 where nothing has failed.
  std::vector<float> failing(KnobFeatures const& features, std::span<SeenPoint const> points) const;

private:
  std::vector<float> rows(KnobFeatures const& features, std::span<SeenPoint const> points) const;
  size_t width_of(KnobFeatures const& features, std::span<SeenPoint const> points) const;
  double modelled(SeenPoint const& point) const;
  double prior(SeenPoint const& point) const;
  double trust_in_experience(std::span<MeasuredPoint const> measured) const;
  Status learn_trees(KnobFeatures const& features, std::span<SeenPoint const> points,
                     TrainingRows full, TrainOptions const& options);
  Status learn_network(std::span<SeenPoint const> points, TrainingRows const& full, uint64_t seed);
  /// How much better than its prior a point is; nothing is learned yet: 0.
  Predicted corrected(KnobFeatures const& features, std::span<SeenPoint const> points) const;

  PointModelOptions options_;
  bool learned_ = false;
  size_t knob_width_ = 0;  ///< that the trees are for
  double level_ = 0;       ///< of the logarithms that the trees correct
  double trust_ = 1;       ///< in what other kernels' trials say
  TreeEnsemble quick_;
  Bootstrap full_;
  TreeGru network_;
  size_t width_ = 0;          ///< that `full_` is for
  size_t failing_width_ = 0;  ///< 0: nothing has failed
  TreeEnsemble failing_;
};

}  // namespace tw
