/// What the trials of other kernels teach of this one: trees over what is the same in all spaces
/// ("global model", Chen et al. 2018, section 4), and points that were good nearby.
#pragma once

#include <memory>
#include <string>

#include "engine/schedule/decisions.h"
#include "engine/tuner/features/loop_features.h"
#include "engine/tuner/model/point_model.h"

namespace tw {

/// A trial of another kernel that was right.
struct TransferredTrial {
  std::string task;  ///< of one name: of one kernel
  std::vector<Knob> knobs;
  LoopNest nest;
  std::optional<analysis::TimeModel> modelled;
  double seconds = 0;
};

struct TransferHistoryOptions {
  Representation representation = Representation::kRelation;
  bool with_prior = true;  ///< what is learned is how far the target's own model is off
  int rounds = 100;
  int depth = 4;
  double learning_rate = 0.1;
};

class TransferHistory {
public:
  /// `first`: points of other kernels that are worth trying first. From no trials nothing is
  /// learned: all predictions are 0. Errors: those of training.
  static Result<std::shared_ptr<TransferHistory const>> learn(
      std::vector<TransferredTrial> const& trials, TransferHistoryOptions const& options,
      std::vector<Point> first = {}, uint64_t seed = 1);

  /// The logarithm of its time, less that of the model where that is the prior, less what is usual
  /// of its kernel: an order of one kernel's points.
  double predict(std::vector<Knob> const& knobs, LoopNest const& nest,
                 std::optional<analysis::TimeModel> const& modelled) const;
  std::vector<Point> const& first() const { return first_; }

private:
  std::vector<float> row(std::vector<Knob> const& knobs, LoopNest const& nest,
                         std::optional<analysis::TimeModel> const& modelled) const;

  TransferHistoryOptions options_;
  KnobFeatures knobs_;  ///< that were seen in learning
  size_t width_ = 0;
  TreeEnsemble trees_;
  std::vector<Point> first_;
};

/// What trees read of a program: nothing for knobs, which are no part of it.
std::vector<float> program_features(Representation representation, LoopNest const& nest);

}  // namespace tw
