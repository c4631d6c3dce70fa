/// What a recursive model reads: a tree whose nodes are rows of numbers (a program: its loops).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// Made once and good: all numbers are finite, a parent stands before its children, and children of
/// one parent stand in their order.
class FeatureTree {
public:
  static constexpr int32_t kRoot = -1;

  /// `features`: nodes x `width`; `parents`: of each node the number of its parent, `kRoot` for
  /// none (there may be several roots). Errors: no_rows, rows_differ, not_a_number, bad_parent.
  static Result<FeatureTree> create(size_t width, std::vector<float> features,
                                    std::vector<int32_t> parents);

  size_t width() const { return width_; }
  size_t nodes() const { return parents_.size(); }
  std::span<float const> row(size_t node) const {
    return std::span(features_).subspan(node * width_, width_);
  }
  int32_t parent(size_t node) const { return parents_[node]; }
  bool operator==(FeatureTree const&) const = default;

private:
  FeatureTree(size_t width, std::vector<float> features, std::vector<int32_t> parents)
      : width_(width), features_(std::move(features)), parents_(std::move(parents)) {}

  size_t width_;
  std::vector<float> features_;
  std::vector<int32_t> parents_;
};

}  // namespace tw
