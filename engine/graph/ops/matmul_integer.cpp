#include <fmt/format.h>

#include "engine/graph/computes.h"
#include "engine/graph/shared/product.h"
#include "engine/graph/shared/quantized.h"
#include "engine/graph/shared/window.h"

namespace tw::op_matmul_integer {
namespace {

using namespace ops;

// ---- what it takes -----------------------------------------------------------------------

/// Of matrices in blocks: of rows (0: none), of what is summed over, and of columns.
struct ProductBlocks {
  int64_t rows = 0, depth = 0, columns = 0;
};

/// "BA16b16a": columns outside, and inside of their blocks what is summed over.
Layout weights_layout(ProductBlocks const& blocks) {
  return *Layout::create({1, 0}, {{1, blocks.columns}, {0, blocks.depth}});
}

std::optional<ProductBlocks> blocks_of(Arrangement const& arrangement) {
  if (arrangement.inputs.size() != 2) return std::nullopt;
  for (LaidTensor const& matrix : arrangement.inputs)
    if (matrix.shape.size() != 2) return std::nullopt;
  auto data = leading_blocks(arrangement.input(0)), result = leading_blocks(arrangement.output(0));
  if (!data || !result || data->second == 0 || result->second == 0 || data->first != result->first)
    return std::nullopt;
  ProductBlocks blocks{data->first, data->second, result->second};
  return arrangement.input(1) == weights_layout(blocks) ? std::optional(blocks) : std::nullopt;
}

Status takes(Attributes const&, Arrangement const& arrangement) {
  if (arrangement.is_plain() || blocks_of(arrangement)) return {};
  return not_taken(
      "an integer product of two matrices without zero points takes blocks on both sides: data and "
      "result AB16b or AB4a16b, weights BA16b16a");
}

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

// ---- the expression ----------------------------------------------------------------------

Tensors plain_product(ProductTerms const& terms, Buffers inputs, std::string const& name) {
  ir::Expr term =
      widened(terms.a, inputs, 2, terms.row) * widened(terms.b, inputs, 3, terms.column);
  return single(te::reduce(name, terms.axes, te::Combiner::kSum, {terms.depth}, term, name));
}

/// Y[i, j, a, b] = sum over k, ki of X[i, k, a, ki] * W[j, k, b, ki]; without a where rows are in
/// no blocks.
Tensors blocked_product(ProductBlocks const& blocks, Buffers inputs, std::string const& name) {
  Shape data = shape_of(inputs[0]), weights = shape_of(inputs[1]);
  std::vector<te::Axis> axes{{"i", data[0], "row"}, {"j", weights[0], "column"}},
      over{{"k", weights[1], "depth"}, {"ki", blocks.depth, "depth_block"}};
  std::vector<ir::Expr> at{axes[0].var(), over[0].var()};
  if (blocks.rows > 0) {
    axes.push_back({"a", blocks.rows, "row_block"});
    at.push_back(axes.back().var());
  }
  axes.push_back({"b", blocks.columns, "block"});
  at.push_back(over[1].var());
  ir::Expr w =
      ir::load(inputs[1], {axes[1].var(), over[0].var(), axes.back().var(), over[1].var()});
  ir::Expr term = ir::cast(DType::kI32, ir::load(inputs[0], at)) * ir::cast(DType::kI32, w);
  return single(te::reduce(name, axes, te::Combiner::kSum, over, term, name));
}

Result<Tensors> direct(Attributes const&, Arrangement const& arrangement, Buffers inputs,
                       std::string const& name) {
  if (auto blocks = blocks_of(arrangement)) return blocked_product(*blocks, inputs, name);
  TRY_ASSIGN(ProductTerms terms, product_terms(inputs[0], inputs[1]));
  return plain_product(terms, inputs, name);
}

// ---- the reference -----------------------------------------------------------------------

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

// ---- random cases ------------------------------------------------------------------------

RandomCase random_blocks(Rng& rng, DType type, DType other) {
  int64_t rows = rng.between(1, 5), columns = rng.between(1, 9), depth = rng.between(1, 9);
  ProductBlocks blocks{rng.below(2) ? 0 : rng.between(1, 3), rng.between(1, 4), rng.between(1, 4)};
  RandomCase result{
      {}, {random_bytes(rng, {rows, depth}, type), random_bytes(rng, {depth, columns}, other)}};
  result.layouts = {leading_layout(2, {blocks.rows, blocks.depth}), weights_layout(blocks)};
  result.result_layouts = {leading_layout(2, {blocks.rows, blocks.columns})};
  return result;
}

RandomCase random_case(Rng& rng) {
  constexpr DType kTypes[] = {DType::kI8, DType::kU8};
  DType type = kTypes[rng.below(2)], other = kTypes[rng.below(2)];
  if (rng.below(2)) return random_blocks(rng, type, other);
  auto [a, b] = random_product(rng);
  Product p = product_of(a, b).value();
  RandomCase result{{}, {random_bytes(rng, a, type), random_bytes(rng, b, other)}};
  auto zeros = [&](int64_t lines, DType of) {
    return random_bytes(rng, rng.below(2) ? Shape{lines} : Shape{}, of);
  };
  if (rng.below(2)) result.inputs.push_back(zeros(p.rows, type));
  if (result.inputs.size() == 3 && rng.below(2)) result.inputs.push_back(zeros(p.columns, other));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "matmul_integer",
      .doc =
          "Matrix product of bytes, summed up in i32; a zero point is what stands for 0. Batches "
          "of matrices are broadcast.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"A", "W", "a_zero", "w_zero"},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output is the sum over a row times a column; two matrices may be "
                           "stored in blocks",
                    .takes = takes,
                    .make = direct}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_matmul_integer
