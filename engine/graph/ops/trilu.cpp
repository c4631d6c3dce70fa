#include <fmt/format.h>

#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_trilu {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->shape.size() < 2)
    return unfit(fmt::format("a tensor of shape {} has no matrices", to_text(inputs[0]->shape)));
  return one(inputs[0]->type, inputs[0]->shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  ir::Expr row = axes[axes.size() - 2].var(), column = axes.back().var();
  int64_t diagonal = integer(attributes, "diagonal");
  ir::Expr kept =
      integer(attributes, "upper", 1) != 0 ? row + diagonal <= column : column <= row + diagonal;
  DType type = inputs[0]->type;
  ir::Expr zero = type == DType::kBool ? ir::bool_imm(false) : immediate(0, type);
  return single(
      te::compute(name, axes, ir::select(kept, ir::load(inputs[0], te::vars(axes)), zero), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray const& x = inputs[0];
  TRY_ASSIGN(NDArray out, NDArray::create(x.type(), x.shape()));
  int64_t columns = x.shape().back(), rows = x.shape()[x.shape().size() - 2];
  int64_t diagonal = integer(attributes, "diagonal");
  bool upper = integer(attributes, "upper", 1) != 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t distance = i % columns - i / columns % rows - diagonal;
    if (upper ? distance >= 0 : distance <= 0) copy_element(out, i, x, i);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  return {{{"upper", rng.below(2)}, {"diagonal", rng.between(-4, 4)}},
          {random_array(rng, random_shape(rng, size_t(rng.between(2, 4)), 4),
                        rng.below(2) ? DType::kF32 : DType::kI64)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "trilu",
      .doc = "The upper or the lower triangle of each matrix, 0 elsewhere.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"upper", "1: the upper triangle, else the lower"},
                     {"diagonal", "where it begins: 0 is the main diagonal, 1 the next one up"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_trilu
