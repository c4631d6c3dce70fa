/// Some trees as a network goes through them.
#pragma once

#include "engine/learning/tree_gru/gru_network.h"

namespace tw::gru {

class Batch {
public:
  /// Features are as `model` was trained on: less their means, by their scales.
  Batch(TreeGru const& model, std::span<FeatureTree const* const> trees);

  Plan const& plan() const { return plan_; }
  Matrix<float> const& features() const { return features_; }

private:
  Plan plan_;
  Matrix<float> features_;
};

}  // namespace tw::gru
