#include "engine/graph/shared/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/integers.h"

namespace tw::ops {
namespace {

double identity(te::Combiner combiner) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return combiner == te::Combiner::kSum    ? 0
         : combiner == te::Combiner::kProd ? 1
         : combiner == te::Combiner::kMax  ? -kInfinity
                                           : kInfinity;
}

double joined(te::Combiner combiner, double a, double b) {
  return combiner == te::Combiner::kSum    ? a + b
         : combiner == te::Combiner::kProd ? a * b
         : std::isnan(a) || std::isnan(b)  ? std::nan("")
         : combiner == te::Combiner::kMax  ? std::max(a, b)
                                           : std::min(a, b);
}

int64_t whole_identity(te::Combiner combiner, DType type) {
  return combiner == te::Combiner::kSum    ? 0
         : combiner == te::Combiner::kProd ? 1
         : combiner == te::Combiner::kMax  ? lowest_integer(type)
                                           : highest_integer(type);
}

int64_t joined_integers(te::Combiner combiner, int64_t a, int64_t b, DType type) {
  if (combiner == te::Combiner::kSum) return wrapped_sum(a, b);
  if (combiner == te::Combiner::kProd) return wrapped_product(a, b);
  return is_below(a, b, type) == (combiner == te::Combiner::kMax) ? b : a;
}

/// Integers are joined by themselves, since doubles do not hold 64 bits.
void reduce_integers(Reduction const& reduction, NDArray const& x, ReducedShape const& reduced,
                     NDArray& out) {
  for (int64_t i = 0; i < out.size(); ++i)
    set_integer(out, i, whole_identity(reduction.combiner, x.type()));
  for_each_broadcast(x.shape(), {reduced.kept}, [&](int64_t i, std::span<int64_t const> at) {
    int64_t value = integer_at(x, i);
    if (reduction.prepare_whole) value = reduction.prepare_whole(value, x.type());
    int64_t total = joined_integers(reduction.combiner, integer_at(out, at[0]), value, x.type());
    set_integer(out, at[0], total);
  });
}

}  // namespace

Result<ReducedShape> reduced_shape(Attributes const& attributes, Shape const& shape) {
  ReducedShape reduced;
  reduced.over.assign(shape.size(), !has(attributes, "axes"));
  for (int64_t axis : integers(attributes, "axes")) {
    TRY_ASSIGN(axis, normal_axis(axis, shape.size()));
    reduced.over[size_t(axis)] = true;
  }
  bool keep = integer(attributes, "keep", 1) != 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    bool over = reduced.over[i];
    if (over) reduced.count *= shape[i];
    reduced.kept.push_back(over ? 1 : shape[i]);
    if (keep || !over) reduced.result.push_back(reduced.kept.back());
  }
  return reduced;
}

ReducedAxes reduced_axes(Shape const& shape, ReducedShape const& reduced) {
  ReducedAxes result;
  std::vector<te::Axis> named = output_axes(shape);
  bool keep = reduced.result.size() == shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced.over[i] || keep)
      result.axes.push_back({named[i].name, reduced.kept[i], named[i].role});
    if (reduced.over[i]) result.over.push_back({"r" + std::to_string(i), shape[i], named[i].role});
    result.element.push_back((reduced.over[i] ? result.over : result.axes).back().var());
  }
  return result;
}

InferResult infer_reduction(Reduction const& reduction, Attributes const& attributes,
                            Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  DType type = inputs[0]->type;
  bool extreme =
      reduction.combiner == te::Combiner::kMax || reduction.combiner == te::Combiner::kMin;
  if ((type == DType::kBool && !extreme) || (reduction.floats_only && !is_float(type)))
    return unsupported(fmt::format("this reduction of {}", to_text(type)));
  TRY_ASSIGN(ReducedShape reduced, reduced_shape(attributes, inputs[0]->shape));
  return one(type, reduced.result);
}

Tensors compute_reduction(Reduction const& reduction, Attributes const& attributes, Buffers inputs,
                          std::string const& name) {
  Shape shape = shape_of(inputs[0]);
  ReducedShape reduced = reduced_shape(attributes, shape).value();
  ReducedAxes split = reduced_axes(shape, reduced);
  ir::Expr element = ir::load(inputs[0], split.element);
  if (reduction.prepare) element = reduction.prepare(element);
  // The largest of conditions is that of 0 and 1.
  bool conditions = inputs[0]->type == DType::kBool;
  if (split.over.empty()) {
    if (reduction.finish) element = reduction.finish(element, 1);
    return single(te::compute(name, split.axes, element, name));
  }
  if (conditions) element = ir::cast(DType::kU8, element);
  bool finishes = reduction.finish || conditions;
  te::Stage join = te::reduce(finishes ? name + "_joined" : name, split.axes, reduction.combiner,
                              split.over, element, name);
  if (!finishes) return single(join);
  ir::Expr value = ir::load(join.output, te::vars(split.axes));
  value = conditions ? ir::cast(DType::kBool, value) : reduction.finish(value, reduced.count);
  te::Stage finish = te::compute(name, split.axes, value, name + "_finish");
  return Tensors{{join, finish}, {finish.output}};
}

ReferenceResult reference_reduction(Reduction const& reduction, Attributes const& attributes,
                                    Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(ReducedShape reduced, reduced_shape(attributes, x.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), reduced.result));
  if (is_integer(x.type())) {
    reduce_integers(reduction, x, reduced, out);
    return std::vector{out};
  }
  std::vector<double> totals(size_t(out.size()), identity(reduction.combiner));
  for_each_broadcast(x.shape(), {reduced.kept}, [&](int64_t i, std::span<int64_t const> at) {
    double value = x.value_at(i);
    if (reduction.prepare_number) value = reduction.prepare_number(value);
    double& total = totals[size_t(at[0])];
    total = joined(reduction.combiner, total, value);
  });
  for (int64_t i = 0; i < out.size(); ++i) {
    double total = totals[size_t(i)];
    if (x.type() == DType::kBool) total = total > 0;  // of none: the largest does not hold
    out.set_value(i,
                  reduction.finish_number ? reduction.finish_number(total, reduced.count) : total);
  }
  return std::vector{out};
}

RandomCase random_reduction(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  RandomCase result{{{"keep", rng.below(2)}}, {random_array(rng, random_shape(rng, rank, 4))}};
  if (rng.below(4) == 0) return result;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < rank; ++i)
    if (rng.below(2)) axes.push_back(rng.below(2) ? int64_t(i) : int64_t(i) - int64_t(rank));
  result.attributes["axes"] = axes;
  return result;
}

RandomCase random_choice(Rng& rng) {
  RandomCase result = random_reduction(rng);
  if (rng.below(3) != 0) return result;
  NDArray conditions = NDArray::create(DType::kBool, result.inputs[0].shape()).value();
  for (int64_t i = 0; i < conditions.size(); ++i) conditions.set_value(i, double(rng.below(2)));
  result.inputs[0] = conditions;
  return result;
}

Operator of_reduction(Operator op) {
  op.inputs = {"X"};
  op.attributes = {{"axes", "axes that are reduced; absent: all"},
                   {"keep", "1: reduced axes are kept with extent 1"}};
  if (op.random_case == nullptr) op.random_case = random_reduction;
  return op;
}

}  // namespace tw::ops
