#include "engine/graph/quantization/values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace tw {

ValueNames::ValueNames(Graph const& graph) {
  for (Value const& value : graph.values) names_.insert(value.name);
}

std::string ValueNames::unused(std::string const& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

std::optional<int> power_of_two(NDArray const& scale) {
  if (scale.empty() || scale.size() < 1 || !is_float(scale.type())) return std::nullopt;
  double first = scale.value_at(0);
  int exponent = 0;
  if (!(first > 0) || std::frexp(first, &exponent) != 0.5) return std::nullopt;
  for (int64_t i = 1; i < scale.size(); ++i)
    if (scale.value_at(i) != first) return std::nullopt;
  return exponent - 1;
}

NDArray transposed(NDArray const& matrix) {
  int64_t rows = matrix.shape()[0], columns = matrix.shape()[1], bytes = size_of(matrix.type());
  NDArray turned = NDArray::create(matrix.type(), {columns, rows}).value();
  auto const* from = static_cast<unsigned char const*>(matrix.data());
  auto* to = static_cast<unsigned char*>(turned.data());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      std::memcpy(to + (j * rows + i) * bytes, from + (i * columns + j) * bytes, size_t(bytes));
  return turned;
}

}  // namespace tw
