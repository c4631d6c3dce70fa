/// What a cost model reads: numbers in rows, which know nothing of schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/support/base/error.h"

namespace tw {

/// A view of rows of features, one row behind the other. A NaN is a value that is missing.
struct FeatureTable {
  std::span<float const> values;
  size_t width = 0;  ///< features of a row, at least 1

  size_t rows() const { return width == 0 ? 0 : values.size() / width; }
};

/// What a model learns from: rows and what was measured of each. Higher targets are better ones.
struct TrainingRows {
  std::vector<float> features;  ///< rows x width; a NaN is missing
  size_t width = 0;
  std::vector<float> targets;
  std::vector<float> weights;            ///< empty: 1 each
  std::vector<int32_t> groups;           ///< the task of a row, in any order; empty: all one task
  std::vector<float> prediction_so_far;  ///< "base margin", of a model that is given; empty: 0

  size_t rows() const { return targets.size(); }
  FeatureTable table() const { return {features, width}; }
};

/// Sizes agree; features are finite or NaN, all else is finite, weights are not negative
/// and not all 0.
/// Errors: no_rows, rows_differ, not_a_number; each says which row.
Status check(TrainingRows const& rows);

/// The rows with these numbers, in this order; a number may come more than once.
TrainingRows chosen_rows(TrainingRows const& rows, std::span<size_t const> numbers);

}  // namespace tw
