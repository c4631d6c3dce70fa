#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_top_k {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  Shape shape = inputs[0]->shape;
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), shape.size()));
  int64_t count = integer(attributes, "count");
  if (count < 0 || count > shape[size_t(axis)])
    return unfit(fmt::format("{} of {} elements", count, shape[size_t(axis)]));
  if (inputs[0]->type == DType::kBool) return unsupported("the largest of bools");
  shape[size_t(axis)] = count;
  return std::vector{TensorInfo{inputs[0]->type, shape, {}}, TensorInfo{DType::kI64, shape, {}}};
}

/// Whether one element is below another. No number is larger than every number.
bool below(NDArray const& x, int64_t i, int64_t j) {
  if (!is_float(x.type())) return is_below(integer_at(x, i), integer_at(x, j), x.type());
  double a = x.value_at(i), b = x.value_at(j);
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// The elements of a row, the best first; of equal elements the first is the better one.
std::vector<int64_t> order_of(NDArray const& x, std::vector<int64_t> const& row, bool largest) {
  std::vector<int64_t> order = row;
  std::ranges::stable_sort(
      order, [&](int64_t i, int64_t j) { return largest ? below(x, j, i) : below(x, i, j); });
  return order;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  Shape shape = x.shape();
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), shape.size()));
  int64_t extent = shape[size_t(axis)], count = integer(attributes, "count");
  int64_t inner = row_major_strides(shape)[size_t(axis)];
  shape[size_t(axis)] = count;
  TRY_ASSIGN(NDArray values, NDArray::create(x.type(), shape));
  TRY_ASSIGN(NDArray places, NDArray::create(DType::kI64, shape));
  int64_t rows = extent > 0 ? x.size() / extent : 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t from = row / inner * extent * inner + row % inner;
    int64_t to = row / inner * count * inner + row % inner;
    std::vector<int64_t> elements;
    for (int64_t k = 0; k < extent; ++k) elements.push_back(from + k * inner);
    std::vector<int64_t> order = order_of(x, elements, integer(attributes, "largest", 1) != 0);
    for (int64_t k = 0; k < count; ++k) {
      copy_element(values, to + k * inner, x, order[size_t(k)]);
      set_integer(places, to + k * inner, (order[size_t(k)] - from) / inner);
    }
  }
  return std::vector{values, places};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape shape = random_shape(rng, rank, 4);
  int64_t axis = rng.below(int64_t(rank));
  return {{{"axis", axis - (rng.below(2) ? int64_t(rank) : 0)},
           {"count", rng.between(1, shape[size_t(axis)])},
           {"largest", rng.below(2)}},
          {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "top_k",
      .doc = "The largest or smallest elements along an axis, in order, and their indices.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = {{"axis", "axis along which elements are compared"},
                     {"count", "number of elements to return"},
                     {"largest", "1: the largest, else the smallest"}},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_top_k
