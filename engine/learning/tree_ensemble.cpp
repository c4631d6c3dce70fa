#include "engine/learning/tree_ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tw {
namespace {

/// Four rows in a register that every processor has; comparing makes a mask.
using Quad [[gnu::vector_size(16)]] = float;
using QuadMask [[gnu::vector_size(16)]] = int32_t;

constexpr size_t kBlockRows = 32;  // all features of these stay in the nearest cache
constexpr size_t kBlockQuads = kBlockRows / 4;

/// A number of each row of a block.
struct Column {
  Quad quads[kBlockQuads];
  float get(size_t row) const { return quads[row / 4][row % 4]; }
  void set(size_t row, float number) { quads[row / 4][row % 4] = number; }
};

/// A deeper tree has more splits than asking all of them at once is worth.
constexpr int kMostSelectedDepth = 4;

Status check_tree(CompleteTree const& tree, size_t number, size_t width) {
  auto damaged = [&](std::string what) {
    return bad_input("damaged_trees", fmt::format("tree {} {}", number, what));
  };
  if (tree.depth < 0 || tree.depth > kMostTreeDepth)
    return damaged(
        fmt::format("has a depth of {}, which is not in 0 to {}", tree.depth, kMostTreeDepth));
  size_t leaves = size_t(1) << tree.depth;
  if (tree.leaves.size() != leaves || tree.splits.size() != leaves - 1)
    return damaged(fmt::format("of depth {} has {} splits and {} leaves", tree.depth,
                               tree.splits.size(), tree.leaves.size()));
  for (TreeSplit const& split : tree.splits) {
    if (split.feature >= width)
      return damaged(fmt::format("asks for feature {} of {}", split.feature, width));
    if (!std::isfinite(split.threshold)) return damaged("has a threshold that is no number");
  }
  for (float leaf : tree.leaves)
    if (!std::isfinite(leaf)) return damaged("has a leaf that is no number");
  return {};
}

}  // namespace

Result<TreeEnsemble> TreeEnsemble::create(size_t width, float bias,
                                          std::span<CompleteTree const> trees) {
  if (width == 0 || width > kMostFeatures)
    return bad_input("damaged_trees", fmt::format("trees for rows of {} features cannot be, at "
                                                  "most there are {}",
                                                  width, kMostFeatures));
  if (!std::isfinite(bias)) return bad_input("damaged_trees", "the bias of the trees is no number");
  TreeEnsemble made(width, bias);
  for (size_t i = 0; i < trees.size(); ++i) {
    TRY(check_tree(trees[i], i, width));
    made.append(trees[i]);
  }
  return made;
}

void TreeEnsemble::append(CompleteTree const& tree) {
  trees_.push_back({tree.depth, features_.size(), leaves_.size()});
  for (TreeSplit const& split : tree.splits) {
    features_.push_back(split.feature);
    thresholds_.push_back(split.threshold);
    missing_right_.push_back(!split.missing_left);
  }
  leaves_.insert(leaves_.end(), tree.leaves.begin(), tree.leaves.end());
}

CompleteTree TreeEnsemble::tree(size_t number) const {
  Tree const& tree = trees_.at(number);
  size_t leaves = size_t(1) << tree.depth;
  CompleteTree one{.depth = tree.depth, .splits = {}, .leaves = {}};
  for (size_t i = tree.first_split; i < tree.first_split + leaves - 1; ++i)
    one.splits.push_back({features_[i], thresholds_[i], missing_right_[i] == 0});
  auto first = leaves_.begin() + ptrdiff_t(tree.first_leaf);
  one.leaves.assign(first, first + ptrdiff_t(leaves));
  return one;
}

TreeEnsemble TreeEnsemble::followed_by(TreeEnsemble const& more, size_t count) const {
  TW_ASSERT(width_ == more.width_, "trees that are added read the same rows");
  TreeEnsemble sum = *this;
  sum.bias_ += more.bias_;
  for (size_t i = 0; i < count; ++i) sum.append(more.tree(i));
  return sum;
}

struct TreeEnsemble::Block {
  float const* rows = nullptr;
  size_t count = 0;             ///< of the rows; behind them, columns hold what is not used
  std::vector<Column> columns;  ///< the rows' features
  Column sums;
};

/// Every split is asked of every row of the block, and from below the answers select one of two
/// leaves, until one is left: nothing waits for where a row went before.
template <int depth>
void TreeEnsemble::select_leaves(Tree const& tree, Block& block) const {
  Column chosen[1 << depth];
  for (size_t leaf = 0; leaf < 1 << depth; ++leaf)
    for (Quad& quad : chosen[leaf].quads) quad = Quad{} + leaves_[tree.first_leaf + leaf];
  for (int level = depth; level-- > 0;)
    for (size_t i = 0; i < size_t(1) << level; ++i) {
      size_t node = tree.first_split + (size_t(1) << level) - 1 + i;
      Quad const threshold = Quad{} + thresholds_[node];
      QuadMask const missing_right = QuadMask{} - missing_right_[node];
      Column const& values = block.columns[features_[node]];
      for (size_t q = 0; q < kBlockQuads; ++q) {
        Quad const value = values.quads[q];  // a NaN is neither less nor greater
        QuadMask const right = (value >= threshold) | ((value != value) & missing_right);
        chosen[i].quads[q] = right ? chosen[2 * i + 1].quads[q] : chosen[2 * i].quads[q];
      }
    }
  for (size_t q = 0; q < kBlockQuads; ++q) block.sums.quads[q] += chosen[0].quads[q];
}

template <int depth>
void TreeEnsemble::walk_down(Tree const& tree, Block& block) const {
  uint32_t const* features = features_.data() + tree.first_split;
  float const* thresholds = thresholds_.data() + tree.first_split;
  uint8_t const* missing_right = missing_right_.data() + tree.first_split;
  float const* leaves = leaves_.data() + tree.first_leaf;
  float const* row = block.rows;
  for (size_t number = 0; number < block.count; ++number, row += width_) {
    size_t node = 0;
    for (int level = 0; level < depth; ++level) {
      float value = row[features[node]];
      // No short cut: a branch here would often be mispredicted.
      unsigned right =
          unsigned(value >= thresholds[node]) | (unsigned(value != value) & missing_right[node]);
      node = 2 * node + 1 + right;
    }
    float leaf = leaves[node - ((size_t(1) << depth) - 1)];
    block.sums.set(number, block.sums.get(number) + leaf);
  }
}

template <int depth>
void TreeEnsemble::add_tree(Tree const& tree, Block& block) const {
  if constexpr (depth <= kMostSelectedDepth)
    select_leaves<depth>(tree, block);
  else
    walk_down<depth>(tree, block);
}

void TreeEnsemble::predict(FeatureTable rows, std::span<float> predictions) const {
  TW_ASSERT(rows.width == width_, "rows are as wide as the trees were made for");
  TW_ASSERT(rows.rows() == predictions.size(), "every row has one prediction");
  using AddTree = void (TreeEnsemble::*)(Tree const&, Block&) const;
  // A depth that the compiler knows is unrolled.
  static constexpr auto add_by_depth = []<int... depth>(std::integer_sequence<int, depth...>) {
    return std::array<AddTree, sizeof...(depth)>{&TreeEnsemble::add_tree<depth>...};
  }
  (std::make_integer_sequence<int, kMostTreeDepth + 1>());
  Block block{.columns = std::vector<Column>(width_), .sums = {}};
  for (size_t from = 0; from < predictions.size(); from += kBlockRows) {
    block.rows = rows.values.data() + from * width_;
    block.count = std::min(kBlockRows, predictions.size() - from);
    for (size_t row = 0; row < block.count; ++row)
      for (size_t i = 0; i < width_; ++i) block.columns[i].set(row, block.rows[row * width_ + i]);
    for (Quad& quad : block.sums.quads) quad = Quad{} + bias_;
    for (Tree const& tree : trees_) (this->*add_by_depth[size_t(tree.depth)])(tree, block);
    for (size_t row = 0; row < block.count; ++row) predictions[from + row] = block.sums.get(row);
  }
}

std::vector<float> TreeEnsemble::predict(FeatureTable rows) const {
  std::vector<float> predictions(rows.rows());
  predict(rows, predictions);
  return predictions;
}

}  // namespace tw
