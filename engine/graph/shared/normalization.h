/// Operators that bring the elements along some axes to mean 0 and variance 1.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// What mean and variance are taken over: stages for them, and (x - mean) / sqrt(variance +
/// epsilon).
struct Normalized {
  std::vector<te::Axis> axes;  ///< of the result
  std::vector<te::Stage> stages;
  ir::Expr value;
};
Normalized normalized(te::Buffer const& input, std::vector<bool> const& over, double epsilon,
                      std::string const& name);

/// The same in doubles; the result's element is `f(flat index, value)`.
ReferenceResult map_normalized(NDArray const& x, std::vector<bool> const& over, double epsilon,
                               std::function<double(int64_t, double)> const& f);

}  // namespace tw::ops
