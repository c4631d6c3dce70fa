#include <fmt/format.h>

#include <cstring>
#include <set>

#include "engine/graph/shared/elements.h"

namespace tw::op_transpose {
namespace {

using namespace ops;

/// Output axis i is input axis order[i]; without the attribute the axes are reversed.
std::vector<int64_t> order_of(Attributes const& attributes, size_t rank) {
  std::vector<int64_t> reversed;
  for (size_t i = rank; i > 0; --i) reversed.push_back(int64_t(i) - 1);
  return integers(attributes, "order", reversed);
}

Shape moved(Shape const& shape, std::vector<int64_t> const& order) {
  Shape out;
  for (int64_t axis : order) out.push_back(shape[size_t(axis)]);
  return out;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  size_t rank = inputs[0]->shape.size();
  std::vector<int64_t> order = order_of(attributes, rank);
  std::set<int64_t> seen(order.begin(), order.end());
  if (order.size() != rank || seen.size() != rank ||
      (rank > 0 && (*seen.begin() != 0 || *seen.rbegin() != int64_t(rank) - 1)))
    return unfit(fmt::format("[{}] is not a permutation of {} axes", fmt::join(order, ", "), rank));
  return one(inputs[0]->type, moved(inputs[0]->shape, order));
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  std::vector<int64_t> order = order_of(attributes, shape.size());
  std::vector<te::Axis> axes = output_axes(moved(shape, order));
  std::vector<ir::Expr> indices(shape.size());
  for (size_t i = 0; i < order.size(); ++i) indices[size_t(order[i])] = axes[i].var();
  return single(te::compute(name, axes, ir::load(inputs[0], indices), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  std::vector<int64_t> order = order_of(attributes, x.shape().size());
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), moved(x.shape(), order)));
  std::vector<int64_t> from = row_major_strides(x.shape()), to = row_major_strides(out.shape());
  auto size = size_t(size_of(x.type()));
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t source = 0;
    for (size_t k = 0; k < order.size(); ++k)
      source += i / to[k] % out.shape()[k] * from[size_t(order[k])];
    std::memcpy(static_cast<char*>(out.data()) + size_t(i) * size,
                static_cast<char const*>(x.data()) + size_t(source) * size, size);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 5));
  std::vector<int64_t> order;
  for (size_t i = 0; i < rank; ++i)
    order.insert(order.begin() + rng.below(int64_t(i) + 1), int64_t(i));
  return {{{"order", order}}, {random_array(rng, random_shape(rng, rank, 4))}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "transpose",
      .doc = "The same elements with the axes in another order.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"order", "input axis of each output axis; absent: reversed"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_transpose
