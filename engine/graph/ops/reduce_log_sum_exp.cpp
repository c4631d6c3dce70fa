#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_log_sum_exp {
namespace {

using namespace ops;

/// For what shapes and types there are.
constexpr Reduction kReduction{.combiner = te::Combiner::kSum, .floats_only = true};

/// What is taken out of the exponents: the largest, unless it is infinite, which would leave
/// nothing of itself.
ir::Expr taken_out(ir::Expr largest) {
  ir::Expr size = ir::unary(ir::UnaryOp::kAbs, largest);
  ir::Expr finite = size < immediate(std::numeric_limits<double>::infinity(), largest.type());
  return ir::select(finite, largest, immediate(0, largest.type()));
}

/// max + log(sum(exp(x - max))), so that no exponential overflows.
Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  TRY_ASSIGN(ReducedShape reduced, reduced_shape(attributes, shape));
  ReducedAxes split = reduced_axes(shape, reduced);
  ir::Expr element = ir::load(inputs[0], split.element);
  if (split.over.empty()) return single(te::compute(name, split.axes, element, name));
  te::Stage largest =
      te::reduce(name + "_max", split.axes, te::Combiner::kMax, split.over, element, name);
  ir::Expr most = taken_out(ir::load(largest.output, te::vars(split.axes)));
  te::Stage total = te::reduce(name + "_sum", split.axes, te::Combiner::kSum, split.over,
                               ir::unary(ir::UnaryOp::kExp, element - most), name);
  ir::Expr sum = ir::load(total.output, te::vars(split.axes));
  te::Stage finish =
      te::compute(name, split.axes, most + ir::unary(ir::UnaryOp::kLog, sum), name + "_finish");
  return Tensors{{largest, total, finish}, {finish.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  NDArray const& x = inputs[0];
  TRY_ASSIGN(ReducedShape reduced, reduced_shape(attributes, x.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), reduced.result));
  std::vector<double> largest(size_t(out.size()), -kInfinity), total(largest.size(), 0);
  auto each = [&](auto const& visit) {
    for_each_broadcast(x.shape(), {reduced.kept}, [&](int64_t i, std::span<int64_t const> at) {
      visit(x.value_at(i), size_t(at[0]));
    });
  };
  each([&](double value, size_t at) { largest[at] = std::max(largest[at], value); });
  for (double& most : largest)
    if (std::isinf(most)) most = 0;
  each([&](double value, size_t at) { total[at] += std::exp(value - largest[at]); });
  for (size_t i = 0; i < total.size(); ++i)
    out.set_value(int64_t(i), largest[i] + std::log(total[i]));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_reduction(rng);
  double const values[] = {-std::numeric_limits<double>::infinity(), 200,
                           std::numeric_limits<double>::infinity()};
  int64_t kind = rng.below(4);  // of them, how many elements become the first ones
  for (int64_t i = 0; kind > 0 && i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, values[rng.below(kind)]);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_log_sum_exp",
      .doc = "Logarithm of the sum of exponentials along axes.",
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_reduce_log_sum_exp
