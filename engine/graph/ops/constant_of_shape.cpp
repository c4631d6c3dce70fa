#include "engine/graph/shared/elements.h"
#include "engine/tensor/integers.h"

namespace tw::op_constant_of_shape {
namespace {

using namespace ops;

Result<NDArray> fill_of(Attributes const& attributes) {
  NDArray value = tensor(attributes, "value");
  if (!value.empty() && value.size() != 1)
    return unfit("the fill value does not have exactly one element");
  return value.empty() ? NDArray::create(DType::kF32, {1}) : value;
}

InferResult infer(Attributes const& attributes, Infos) {
  TRY_ASSIGN(NDArray value, fill_of(attributes));
  Shape shape = integers(attributes, "shape");
  TRY(element_count(shape));
  return one(value.type(), shape);
}

Result<Tensors> compute(Attributes const& attributes, Buffers, std::string const& name) {
  TRY_ASSIGN(NDArray value, fill_of(attributes));
  ir::Expr element = is_float(value.type()) ? ir::float_imm(value.value_at(0), value.type())
                                            : ir::int_imm(integer_at(value, 0), value.type());
  return single(te::compute(name, output_axes(integers(attributes, "shape")), element, name));
}

ReferenceResult reference(Attributes const& attributes, Arrays) {
  TRY_ASSIGN(NDArray value, fill_of(attributes));
  TRY_ASSIGN(NDArray out, NDArray::create(value.type(), integers(attributes, "shape")));
  for (int64_t i = 0; i < out.size(); ++i) copy_element(out, i, value, 0);
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  return {{{"shape", random_shape(rng, size_t(rng.between(1, 4)), 4)},
           {"value", random_array(rng, {1})}},
          {}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "constant_of_shape",
      .doc = "A tensor filled with one value.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .attributes = {{"shape", "the shape"}, {"value", "one element; absent: zero"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_constant_of_shape
