/// Gradient boosted trees, made for predicting many rows: the first cost model of "Learning to
/// Optimize Tensor Programs" (Chen et al. 2018), section 3.1. Every tree is complete: a leaf above
/// the last level is spread over all leaves below, so that no row needs a branch.
#pragma once

#include "engine/learning/features.h"

namespace tw {

/// Rows whose feature is less than `threshold` go left. Finite numbers only.
struct TreeSplit {
  uint32_t feature = 0;
  float threshold = 0;
  bool missing_left = false;  ///< where a row without the feature goes
  bool operator==(TreeSplit const&) const = default;
};

/// A tree in levels: the children of split n are 2n+1 (left) and 2n+2.
struct CompleteTree {
  int depth = 0;                  ///< 0 .. kMostTreeDepth; a tree of depth 0 is one leaf
  std::vector<TreeSplit> splits;  ///< 2^depth - 1
  std::vector<float> leaves;      ///< 2^depth
  bool operator==(CompleteTree const&) const = default;
};

constexpr int kMostTreeDepth = 10;
constexpr size_t kMostFeatures = 1 << 20;

class TreeEnsemble {
public:
  /// Predicts `bias` for every row of `width` features.
  explicit TreeEnsemble(size_t width = 1, float bias = 0) : width_(width), bias_(bias) {}
  /// Errors: damaged_trees (sizes, a feature that no row has, a number that is none).
  static Result<TreeEnsemble> create(size_t width, float bias, std::span<CompleteTree const> trees);

  size_t width() const { return width_; }
  size_t size() const { return trees_.size(); }
  float bias() const { return bias_; }
  CompleteTree tree(size_t number) const;

  /// One number per row: the bias and a leaf of each tree, added in single precision in their
  /// order. `rows` are as wide as the trees are for.
  void predict(FeatureTable rows, std::span<float> predictions) const;
  std::vector<float> predict(FeatureTable rows) const;

  /// The sum of these and of the first `count` trees of `more`, which correct what these predict.
  /// Both are for rows of one width.
  TreeEnsemble followed_by(TreeEnsemble const& more, size_t count) const;

  bool operator==(TreeEnsemble const&) const = default;

private:
  struct Tree {
    int depth = 0;
    size_t first_split = 0, first_leaf = 0;
    bool operator==(Tree const&) const = default;
  };
  struct Block;
  void append(CompleteTree const& tree);
  template <int depth>
  void add_tree(Tree const& tree, Block& block) const;
  template <int depth>
  void select_leaves(Tree const& tree, Block& block) const;
  template <int depth>
  void walk_down(Tree const& tree, Block& block) const;

  size_t width_;
  float bias_;
  std::vector<Tree> trees_;
  // Of all trees, one behind the other.
  std::vector<uint32_t> features_;
  std::vector<float> thresholds_;
  std::vector<uint8_t> missing_right_;
  std::vector<float> leaves_;
};

}  // namespace tw
