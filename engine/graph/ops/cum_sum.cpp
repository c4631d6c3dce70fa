#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_cum_sum {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY(normal_axis(integer(attributes, "axis"), inputs[0]->shape.size()));
  if (inputs[0]->type == DType::kBool) return unsupported("running sums of bools");
  return one(inputs[0]->type, inputs[0]->shape);
}

/// A scan along its first axis, and a stage that turns it back to where the axis was.
Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  te::Buffer const& input = inputs[0];
  Shape shape = shape_of(input);
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), shape.size()));
  size_t along = size_t(axis);
  int64_t last = shape[along] - 1;
  bool reverse = integer(attributes, "reverse") != 0;
  bool exclusive = integer(attributes, "exclusive") != 0;
  std::vector<te::Axis> axes = output_axes(shape), order{{"t", shape[along], ""}};
  for (size_t i = 0; i < axes.size(); ++i)
    if (i != along) order.push_back(axes[i]);
  auto step = [&](ir::Expr t) { return reverse ? ir::int_imm(last) - t : t; };
  std::vector<ir::Expr> own = te::vars(order), element = te::vars(axes);
  ir::Expr t = order[0].var();
  std::vector<int64_t> extents;
  for (te::Axis const& a : order) extents.push_back(a.extent);
  te::Buffer sums = ir::make_buffer(name + "_scan", input->type, extents);
  own[0] = t - 1;
  ir::Expr before = ir::load(sums, own), zero = immediate(0, input->type), begun = 1 <= t;
  element[along] = step(exclusive ? t - 1 : t);
  ir::Expr value = ir::load(input, element);
  ir::Expr body =
      exclusive ? ir::select(begun, before + value, zero) : value + ir::select(begun, before, zero);
  te::Stage scan{sums, order, {}, te::Combiner::kNone, te::Scan::kBegins, body, name};
  std::vector<ir::Expr> place{step(axes[along].var())};
  for (size_t i = 0; i < axes.size(); ++i)
    if (i != along) place.push_back(axes[i].var());
  te::Stage turned = te::compute(name, axes, ir::load(sums, place), name);
  return Tensors{{scan, turned}, {turned.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), x.shape().size()));
  int64_t extent = x.shape()[size_t(axis)], stride = row_major_strides(x.shape())[size_t(axis)];
  bool reverse = integer(attributes, "reverse") != 0;
  bool exclusive = integer(attributes, "exclusive") != 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (i / stride % extent != 0) continue;
    double total = 0;
    int64_t whole = 0;
    auto add = [&](int64_t at) {
      if (is_float(x.type()))
        total += x.value_at(at);
      else
        whole = wrapped_sum(whole, integer_at(x, at));
    };
    for (int64_t k = 0; k < extent; ++k) {
      int64_t at = i + (reverse ? extent - 1 - k : k) * stride;
      if (!exclusive) add(at);
      if (is_float(x.type()))
        out.set_value(at, total);
      else
        set_integer(out, at, whole);
      if (exclusive) add(at);
    }
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  return {{{"axis", rng.below(int64_t(rank)) - (rng.below(2) ? int64_t(rank) : 0)},
           {"exclusive", rng.below(2)},
           {"reverse", rng.below(2)}},
          {random_array(rng, random_shape(rng, rank, 4))}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "cum_sum",
      .doc = "Running sums along an axis.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = {{"axis", "axis of the sums"},
                     {"exclusive", "1: the element itself is not included"},
                     {"reverse", "1: summed from the end"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_cum_sum
