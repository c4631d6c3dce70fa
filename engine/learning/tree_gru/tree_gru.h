/// A recursive network over trees, the second cost model of "Learning to Optimize Tensor Programs"
/// (Chen et al. 2018), sections 3.1 and 4: a value, whose weights another training can go on from.
#pragma once

#include <span>
#include <vector>

#include "engine/learning/feature_tree.h"

namespace tw {

struct TreeGruSizes {
  int features = 0;    ///< of a node
  int embedding = 0;   ///< of its features
  int hidden = 0;      ///< of the state that goes up the tree
  int slot_count = 0;  ///< that states are scattered to
  bool operator==(TreeGruSizes const&) const = default;

  size_t parameters() const;
};

/// Predicts one number for each tree; higher is better.
class TreeGru {
public:
  /// Knows nothing, and predicts 0 for whatever tree.
  TreeGru() = default;
  /// Weights by chance. `scales` are divided by, behind `means`: one for each feature of a node.
  static TreeGru by_chance(TreeGruSizes const& sizes, std::vector<float> means,
                           std::vector<float> scales, uint64_t seed);

  bool knows_nothing() const { return parameters_.empty(); }
  TreeGruSizes const& sizes() const { return sizes_; }
  std::vector<float>& parameters() { return parameters_; }
  std::vector<float> const& parameters() const { return parameters_; }
  std::vector<float> const& means() const { return means_; }
  std::vector<float> const& scales() const { return scales_; }

  /// Trees have nodes as wide as the network is for.
  std::vector<float> predict(std::span<FeatureTree const* const> trees) const;

  bool operator==(TreeGru const&) const = default;

private:
  TreeGruSizes sizes_;
  std::vector<float> means_, scales_, parameters_;
};

}  // namespace tw
