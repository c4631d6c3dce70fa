#include <cmath>
#include <limits>

#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

/// Which axes the sum runs over: one, or before opset 13 all from `axis` on.
Result<std::vector<bool>> summed(Attributes const& attributes, size_t rank) {
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis", -1), rank));
  std::vector<bool> result(rank, false);
  bool to_end = integer(attributes, "to_end") != 0;
  for (size_t i = size_t(axis); i < (to_end ? rank : size_t(axis) + 1); ++i) result[i] = true;
  return result;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY(summed(attributes, inputs[0]->shape.size()));
  if (!is_float(inputs[0]->type)) return unfit("softmax needs floats");
  return one(inputs[0]->type, inputs[0]->shape);
}

/// The stages' axes: rows are what stays, `over` what is summed.
struct Split {
  std::vector<te::Axis> rows, over;
  std::vector<ir::Expr> element, row;
};

Result<Split> split(Attributes const& attributes, std::vector<te::Axis> const& axes) {
  TRY_ASSIGN(std::vector<bool> over, summed(attributes, axes.size()));
  Split result;
  for (size_t i = 0; i < axes.size(); ++i) {
    te::Axis axis = axes[i];
    if (over[i]) {
      axis.name = "r" + std::to_string(i);
      result.over.push_back(axis);
    } else {
      result.rows.push_back(axis);
      result.row.push_back(axis.var());
    }
    result.element.push_back(axis.var());
  }
  return result;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  TRY_ASSIGN(Split s, split(attributes, axes));
  if (s.rows.empty()) {  // everything is one row: keep an axis for the loops to stand on
    s.rows.push_back({"b", 1, ""});
    s.row.push_back(ir::int_imm(0));
  }
  te::Stage largest = te::reduce(name + "_max", s.rows, te::Combiner::kMax, s.over,
                                 ir::load(inputs[0], s.element), name);
  ir::Expr shifted = ir::load(inputs[0], te::vars(axes)) - ir::load(largest.output, s.row);
  te::Stage powers = te::compute(name + "_exp", axes, ir::unary(ir::UnaryOp::kExp, shifted), "exp");
  te::Stage total = te::reduce(name + "_sum", s.rows, te::Combiner::kSum, s.over,
                               ir::load(powers.output, s.element), name);
  ir::Expr share = ir::load(powers.output, te::vars(axes)) / ir::load(total.output, s.row);
  te::Stage divide = te::compute(name, axes, share, "divide");
  return Tensors{{largest, powers, total, divide}, {divide.output}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(std::vector<bool> over, summed(attributes, x.shape().size()));
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  Shape rows = x.shape();
  for (size_t i = 0; i < rows.size(); ++i)
    if (over[i]) rows[i] = 1;
  std::vector<double> largest(size_t(element_count(rows).value_or(0)),
                              -std::numeric_limits<double>::infinity());
  std::vector<double> total(largest.size(), 0);
  auto each = [&](auto const& f) {
    for_each_broadcast(x.shape(), {rows},
                       [&](int64_t i, std::span<int64_t const> at) { f(i, size_t(at[0])); });
  };
  each([&](int64_t i, size_t row) { largest[row] = std::max(largest[row], x.value_at(i)); });
  each([&](int64_t i, size_t row) { total[row] += std::exp(x.value_at(i) - largest[row]); });
  each([&](int64_t i, size_t row) {
    out.set_value(i, std::exp(x.value_at(i) - largest[row]) / total[row]);
  });
  return std::vector{out};
}

Result<Converted> from_onnx(ForeignContext const& context) {
  bool old = context.opset < 13;
  Attributes attributes{{"axis", onnx_integer(context.node, "axis", old ? 1 : -1)}};
  if (old) attributes["to_end"] = int64_t(1);
  return keep_inputs(context, 1, attributes);
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  RandomCase result{{{"axis", rng.below(int64_t(rank))}},
                    {random_array(rng, random_shape(rng, rank, 5))}};
  if (rng.below(2)) result.attributes["to_end"] = int64_t(1);
  return result;
}

}  // namespace

Operator const& op_softmax() {
  static Operator const op{
      .name = "softmax",
      .doc = "Exponentials divided by their sum along an axis.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = {{"axis", "axis of the sum"},
                     {"to_end", "1: the sum runs over all axes from `axis` on"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Softmax",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
