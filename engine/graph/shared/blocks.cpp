#include "engine/graph/shared/blocks.h"

#include <fmt/format.h>

#include "engine/graph/shared/elements.h"

namespace tw::ops {
namespace {

/// Calls `f(plain element, blocked element)` for every element.
template <typename F>
void for_each_element(Shape const& plain, size_t axis, int64_t block, F const& f) {
  int64_t outer = element_count(Shape(plain.begin(), plain.begin() + int64_t(axis))).value_or(0);
  int64_t inner = element_count(Shape(plain.begin() + int64_t(axis) + 1, plain.end())).value_or(0);
  int64_t extent = plain[axis];
  for (int64_t a = 0; a < outer; ++a)
    for (int64_t c = 0; c < extent; ++c)
      for (int64_t i = 0; i < inner; ++i)
        f((a * extent + c) * inner + i,
          ((a * (extent / block) + c / block) * inner + i) * block + c % block);
}

}  // namespace

Shape blocked_shape(Shape plain, size_t axis, int64_t block) {
  plain[axis] /= block;
  plain.push_back(block);
  return plain;
}

Result<Shape> unblocked_shape(Shape blocked, size_t axis, int64_t block) {
  if (block == 0) return blocked;
  if (block < 0 || blocked.size() < axis + 2 || blocked.back() != block)
    return unfit(
        fmt::format("a tensor of shape {} is not packed in blocks of {}", to_text(blocked), block));
  blocked.pop_back();
  blocked[axis] *= block;
  return blocked;
}

Result<NDArray> in_blocks(NDArray const& plain, size_t axis, int64_t block) {
  TRY_ASSIGN(NDArray result,
             NDArray::create(plain.type(), blocked_shape(plain.shape(), axis, block)));
  auto const* from = static_cast<std::byte const*>(plain.data());
  auto* to = static_cast<std::byte*>(result.data());
  size_t size = size_t(size_of(plain.type()));
  for_each_element(plain.shape(), axis, block, [&](int64_t source, int64_t target) {
    std::copy_n(from + size_t(source) * size, size, to + size_t(target) * size);
  });
  return result;
}

Result<NDArray> out_of_blocks(NDArray const& blocked, size_t axis, int64_t block) {
  TRY_ASSIGN(Shape shape, unblocked_shape(blocked.shape(), axis, block));
  TRY_ASSIGN(NDArray result, NDArray::create(blocked.type(), shape));
  auto const* from = static_cast<std::byte const*>(blocked.data());
  auto* to = static_cast<std::byte*>(result.data());
  size_t size = size_t(size_of(blocked.type()));
  for_each_element(shape, axis, block, [&](int64_t target, int64_t source) {
    std::copy_n(from + size_t(source) * size, size, to + size_t(target) * size);
  });
  return result;
}

}  // namespace tw::ops
