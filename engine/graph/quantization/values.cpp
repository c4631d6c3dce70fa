#include "engine/graph/quantization/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tw {

std::optional<std::vector<int>> powers_of_two(NDArray const& scale) {
  if (scale.empty() || scale.size() < 1 || !is_float(scale.type())) return std::nullopt;
  std::vector<int> exponents;
  for (int64_t i = 0; i < scale.size(); ++i) {
    int exponent = 0;
    if (!(scale.value_at(i) > 0) || std::frexp(scale.value_at(i), &exponent) != 0.5)
      return std::nullopt;
    exponents.push_back(exponent - 1);
  }
  bool alike = std::ranges::count(exponents, exponents[0]) == std::ssize(exponents);
  if (alike) exponents.resize(1);
  return exponents;
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
