#include "engine/graph/shared/stacking.h"

#include <fmt/format.h>

#include <cstring>

namespace tw::ops {
namespace {

/// Bytes of one row behind an axis, and how many times there is one.
struct Strides {
  int64_t outer = 1, inner_bytes = 1;
};

Strides strides_of(Shape const& row, DType type, size_t axis) {
  Strides strides{1, size_of(type)};
  for (size_t i = 0; i < row.size(); ++i)
    (i < axis ? strides.outer : strides.inner_bytes) *= row[i];
  return strides;
}

/// Copies a row into or out of the tensor that holds `count` of them.
template <typename Copy>
void each_part(Strides const& strides, int64_t index, int64_t count, Copy const& copy) {
  for (int64_t o = 0; o < strides.outer; ++o)
    copy((o * count + index) * strides.inner_bytes, o * strides.inner_bytes,
         size_t(strides.inner_bytes));
}

char* bytes(NDArray& array) { return static_cast<char*>(array.data()); }
char const* bytes(NDArray const& array) { return static_cast<char const*>(array.data()); }

}  // namespace

Result<NDArray> row_of(NDArray const& array, size_t axis, int64_t index) {
  Shape shape = array.shape();
  int64_t count = shape[axis];
  shape.erase(shape.begin() + int64_t(axis));
  TRY_ASSIGN(NDArray row, NDArray::create(array.type(), shape));
  if (row.size() == 0) return row;
  each_part(strides_of(shape, array.type(), axis), index, count,
            [&](int64_t from, int64_t to, size_t size) {
              std::memcpy(bytes(row) + to, bytes(array) + from, size);
            });
  return row;
}

Result<NDArray> stacked(std::vector<NDArray> const& rows, size_t axis, int64_t max_bytes) {
  NDArray const& first = rows.front();
  if (axis > first.shape().size())
    return bad_input("wrong_shapes",
                     fmt::format("axis {} is out of range for a tensor of {} dimensions", axis,
                                 first.shape().size() + 1));
  for (NDArray const& row : rows)
    if (row.type() != first.type() || row.shape() != first.shape())
      return bad_input(
          "wrong_shapes",
          fmt::format("its iterations gave {}[{}] and {}[{}] for one output", to_text(first.type()),
                      to_text(first.shape()), to_text(row.type()), to_text(row.shape())));
  if (first.byte_size() > max_bytes / int64_t(rows.size()))
    return bad_input("tensor_too_large", fmt::format("{} iterations gave more than {} MiB",
                                                     rows.size(), max_bytes >> 20));
  Shape shape = first.shape();
  shape.insert(shape.begin() + int64_t(axis), int64_t(rows.size()));
  TRY_ASSIGN(NDArray all, NDArray::create(first.type(), shape));
  if (all.size() == 0) return all;
  Strides strides = strides_of(first.shape(), first.type(), axis);
  for (size_t i = 0; i < rows.size(); ++i)
    each_part(strides, int64_t(i), int64_t(rows.size()),
              [&](int64_t to, int64_t from, size_t size) {
                std::memcpy(bytes(all) + to, bytes(rows[i]) + from, size);
              });
  return all;
}

}  // namespace tw::ops
