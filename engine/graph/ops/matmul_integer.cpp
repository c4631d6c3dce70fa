#include <fmt/format.h>

#include "engine/graph/shared/product.h"
#include "engine/graph/shared/quantized.h"

namespace tw {
namespace {

using namespace ops;

/// One zero point for all, one per row of A or one per column of B.
Status check_zero(Infos inputs, size_t zero, size_t of, int64_t lines) {
  if (zero >= inputs.size() || !inputs[zero]) return {};
  Shape const& shape = inputs[zero]->shape;
  bool fits = shape.empty() || shape == Shape{1} || shape == Shape{lines};
  if (fits && inputs[zero]->type == inputs[of]->type) return {};
  return unfit(fmt::format("a zero point of shape {} and type {}", to_text(shape),
                           to_text(inputs[zero]->type)));
}

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 4));
  TRY_ASSIGN(Product p, product_of(inputs[0]->shape, inputs[1]->shape));
  if (!is_byte(inputs[0]->type) || !is_byte(inputs[1]->type))
    return unfit("an integer product needs matrices of i8 or u8");
  TRY(check_zero(inputs, 2, 0, p.rows));
  TRY(check_zero(inputs, 3, 1, p.columns));
  return one(DType::kI32, result_shape(p));
}

ir::Expr widened(ir::Expr const& element, Buffers inputs, size_t zero, te::Axis const& line) {
  ir::Expr wide = ir::cast(DType::kI32, element);
  if (zero >= inputs.size() || !inputs[zero]) return wide;
  Shape shape = shape_of(inputs[zero]);
  std::vector<ir::Expr> at;
  if (!shape.empty()) at.push_back(shape[0] == 1 ? ir::int_imm(0) : line.var());
  return wide - ir::cast(DType::kI32, ir::load(inputs[zero], at));
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(ProductTerms terms, product_terms(inputs[0], inputs[1]));
  ir::Expr term =
      widened(terms.a, inputs, 2, terms.row) * widened(terms.b, inputs, 3, terms.column);
  return single(te::reduce(name, terms.axes, te::Combiner::kSum, {terms.depth}, term, name));
}

int64_t zero_at(Arrays inputs, size_t zero, int64_t line) {
  if (zero >= inputs.size() || inputs[zero].empty()) return 0;
  return int64_t(inputs[zero].value_at(inputs[zero].size() == 1 ? 0 : line));
}

/// Sums wrap, as those of the kernel do.
ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const &a = inputs[0], &b = inputs[1];
  TRY_ASSIGN(Product p, product_of(a.shape(), b.shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI32, result_shape(p)));
  std::vector<int64_t> sums(size_t(out.size()));
  for_each_term(p, a.shape(), b.shape(),
                [&](int64_t to, int64_t at_a, int64_t at_b, int64_t row, int64_t column) {
                  sums[size_t(to)] += (int64_t(a.value_at(at_a)) - zero_at(inputs, 2, row)) *
                                      (int64_t(b.value_at(at_b)) - zero_at(inputs, 3, column));
                });
  for (size_t i = 0; i < sums.size(); ++i) out.as<int32_t>()[i] = int32_t(uint32_t(sums[i]));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  auto [a, b] = random_product(rng);
  Product p = product_of(a, b).value();
  DType type = kTypes[rng.below(2)], other = kTypes[rng.below(2)];
  RandomCase result{{}, {random_bytes(rng, a, type), random_bytes(rng, b, other)}};
  auto zeros = [&](int64_t lines, DType of) {
    return random_bytes(rng, rng.below(2) ? Shape{lines} : Shape{}, of);
  };
  if (rng.below(2)) result.inputs.push_back(zeros(p.rows, type));
  if (result.inputs.size() == 3 && rng.below(2)) result.inputs.push_back(zeros(p.columns, other));
  return result;
}

}  // namespace

Operator const& op_matmul_integer() {
  static Operator const op{
      .name = "matmul_integer",
      .doc =
          "Matrix product of bytes, summed up in i32; a zero point is what stands for 0. Batches "
          "of matrices are broadcast.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"A", "W", "a_zero", "w_zero"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
