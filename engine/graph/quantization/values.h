/// What rewriting a graph between floats and integers needs of its values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace tw {

/// Names that no value of a graph has.
class ValueNames {
public:
  explicit ValueNames(Graph const& graph);
  /// `wanted`, or with a number behind it; it is taken from then on.
  std::string unused(std::string const& wanted);

private:
  std::set<std::string> names_;
};

/// The exponents of a scale of powers of two; one where all are the same.
std::optional<std::vector<int>> powers_of_two(NDArray const& scale);
/// A matrix of any type.
NDArray transposed(NDArray const& matrix);

}  // namespace tw
