#pragma once

#include <cstdint>

namespace tw {

/// What a model is trained for: section 3.2 of "Learning to Optimize Tensor Programs" (Chen et al.
/// 2018).
enum class Objective : uint8_t {
  kPairwiseRank,  ///< equation 2: only the order of the rows within a group
  kRegression,    ///< squared error
};

}  // namespace tw
