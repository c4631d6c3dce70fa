#include "engine/graph/shared/product.h"
#include "engine/tensor/integers.h"

namespace tw::op_matmul {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  TRY_ASSIGN(Product p, product_of(inputs[0]->shape, inputs[1]->shape));
  if (inputs[1]->type != inputs[0]->type || inputs[0]->type == DType::kBool)
    return unfit("a matrix product needs numbers of one type");
  return one(inputs[0]->type, result_shape(p));
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(ProductTerms terms, product_terms(inputs[0], inputs[1]));
  return single(
      te::reduce(name, terms.axes, te::Combiner::kSum, {terms.depth}, terms.a * terms.b, name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Product p, product_of(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(a.type(), result_shape(p)));
  if (is_integer(a.type())) {
    for_each_term(p, a.shape(), b.shape(),
                  [&](int64_t to, int64_t at_a, int64_t at_b, int64_t, int64_t) {
                    int64_t term = wrapped_product(integer_at(a, at_a), integer_at(b, at_b));
                    set_integer(out, to, wrapped_sum(integer_at(out, to), term));
                  });
    return std::vector{out};
  }
  std::vector<double> totals(size_t(out.size()));
  for_each_term(p, a.shape(), b.shape(),
                [&](int64_t to, int64_t at_a, int64_t at_b, int64_t, int64_t) {
                  totals[size_t(to)] += a.value_at(at_a) * b.value_at(at_b);
                });
  for (int64_t i = 0; i < out.size(); ++i) out.set_value(i, totals[size_t(i)]);
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  auto [a, b] = random_product(rng);
  return {{}, {random_array(rng, a), random_array(rng, b)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "matmul",
      .doc = "Matrix product; batches of matrices are broadcast.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"A", "W"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_matmul
