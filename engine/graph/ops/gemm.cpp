#include <fmt/format.h>

#include <cmath>

#include "engine/graph/computes.h"
#include "engine/graph/shared/pointwise.h"
#include "engine/tensor/integers.h"

namespace tw::op_gemm {
namespace {

using namespace ops;

Layout const kTransposed = *Layout::parse("BA");

struct Extents {
  int64_t rows, columns, depth;
};

Result<Extents> extents(Attributes const& attributes, Shape const& a, Shape const& b) {
  if (a.size() != 2 || b.size() != 2)
    return unfit(fmt::format("shapes {} and {} are not matrices", to_text(a), to_text(b)));
  bool flip_a = integer(attributes, "transpose_a") != 0,
       flip_b = integer(attributes, "transpose_b") != 0;
  int64_t depth = flip_a ? a[0] : a[1], other = flip_b ? b[1] : b[0];
  if (depth != other)
    return unfit(fmt::format("matrices {} and {} cannot be multiplied", to_text(a), to_text(b)));
  return Extents{flip_a ? a[1] : a[0], flip_b ? b[0] : b[1], depth};
}

bool is_fraction(Attributes const& attributes, char const* name) {
  double factor = number(attributes, name, 1);
  return factor != std::trunc(factor);
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 3));
  TRY_ASSIGN(Extents e, extents(attributes, inputs[0]->shape, inputs[1]->shape));
  if (inputs[1]->type != inputs[0]->type || inputs[0]->type == DType::kBool)
    return unfit("a matrix product needs numbers of one type");
  if (!is_float(inputs[0]->type) &&
      (is_fraction(attributes, "alpha") || is_fraction(attributes, "beta")))
    return unsupported("a fraction of a product of integers");
  Shape out{e.rows, e.columns};
  if (inputs.size() > 2 && inputs[2]) {
    if (inputs[2]->type != inputs[0]->type)
      return unfit("the addend of a matrix product must have the product's type");
    TRY_ASSIGN(Shape both, broadcast(out, inputs[2]->shape));
    if (both != out)
      return unfit(fmt::format("an addend of shape {} for a result of {}",
                               to_text(inputs[2]->shape), to_text(out)));
  }
  return one(inputs[0]->type, out);
}

ir::Expr scaled(ir::Expr value, double by) {
  return by == 1 ? value : value * immediate(by, value.type());
}

/// Either matrix may be stored transposed; that is another thing than to be given transposed.
Status takes(Attributes const&, Arrangement const& arrangement) {
  auto is_matrix = [](Layout const& layout) { return layout.is_plain() || layout == kTransposed; };
  if (is_matrix(arrangement.input(0)) && is_matrix(arrangement.input(1)) &&
      arrangement.input(2).is_plain() && arrangement.output(0).is_plain())
    return {};
  return not_taken(
      "a matrix product takes matrices in layout plain or BA; its addend and result are plain");
}

Result<Tensors> compute(Attributes const& attributes, Arrangement const& arrangement,
                        Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Extents e,
             extents(attributes, arrangement.inputs[0].shape, arrangement.inputs[1].shape));
  std::vector<te::Axis> axes{{"i", e.rows, "row"}, {"j", e.columns, "column"}},
      over{{"k", e.depth, "depth"}};
  ir::Expr i = axes[0].var(), j = axes[1].var(), k = over[0].var();
  std::vector<ir::Expr> at_a{i, k}, at_b{k, j};
  bool stored_a = !arrangement.input(0).is_plain(), stored_b = !arrangement.input(1).is_plain();
  if ((integer(attributes, "transpose_a") != 0) != stored_a) at_a = {k, i};
  if ((integer(attributes, "transpose_b") != 0) != stored_b) at_b = {j, k};
  Tensors tensors = single(te::reduce(name, axes, te::Combiner::kSum, over,
                                      ir::load(inputs[0], at_a) * ir::load(inputs[1], at_b), name));
  double alpha = number(attributes, "alpha", 1);
  bool addend = inputs.size() > 2 && inputs[2];
  if (alpha == 1 && !addend) return tensors;
  ir::Expr body = scaled(ir::load(tensors.outputs[0], {i, j}), alpha);
  if (addend) body = body + scaled(load_broadcast(inputs[2], axes), number(attributes, "beta", 1));
  tensors.stages.push_back(
      te::compute(addend ? "bias_add" : "scale", axes, body, addend ? "bias_add" : "scale"));
  tensors.outputs = {tensors.stages.back().output};
  return tensors;
}

/// Integers wrap, and doubles do not hold their products.
ReferenceResult integer_product(Attributes const& attributes, Arrays inputs, Extents const& e,
                                NDArray out) {
  bool flip_a = integer(attributes, "transpose_a") != 0,
       flip_b = integer(attributes, "transpose_b") != 0;
  auto alpha = int64_t(number(attributes, "alpha", 1)),
       beta = int64_t(number(attributes, "beta", 1));
  for (int64_t i = 0; i < e.rows; ++i)
    for (int64_t j = 0; j < e.columns; ++j) {
      int64_t total = 0;
      for (int64_t k = 0; k < e.depth; ++k)
        total = wrapped_sum(
            total,
            wrapped_product(integer_at(inputs[0], flip_a ? k * e.rows + i : i * e.depth + k),
                            integer_at(inputs[1], flip_b ? j * e.depth + k : k * e.columns + j)));
      set_integer(out, i * e.columns + j, wrapped_product(alpha, total));
    }
  if (inputs.size() < 3 || inputs[2].empty()) return std::vector{out};
  NDArray const addends[] = {out, inputs[2]};
  return join_elements(addends, {}, [=](int64_t a, int64_t b, DType) {
    return wrapped_sum(a, wrapped_product(beta, b));
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(Extents e, extents(attributes, inputs[0].shape(), inputs[1].shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), {e.rows, e.columns}));
  if (is_integer(out.type())) return integer_product(attributes, inputs, e, out);
  bool flip_a = integer(attributes, "transpose_a") != 0,
       flip_b = integer(attributes, "transpose_b") != 0;
  double alpha = number(attributes, "alpha", 1), beta = number(attributes, "beta", 1);
  for (int64_t i = 0; i < e.rows; ++i)
    for (int64_t j = 0; j < e.columns; ++j) {
      double total = 0;
      for (int64_t k = 0; k < e.depth; ++k)
        total += inputs[0].value_at(flip_a ? k * e.rows + i : i * e.depth + k) *
                 inputs[1].value_at(flip_b ? j * e.depth + k : k * e.columns + j);
      out.set_value(i * e.columns + j, alpha * total);
    }
  if (inputs.size() < 3 || inputs[2].empty()) return std::vector{out};
  return zip_elements(out, inputs[2], [&](double a, double b) { return a + beta * b; });
}

RandomCase random_case(Rng& rng) {
  int64_t rows = rng.between(1, 6), columns = rng.between(1, 6), depth = rng.between(1, 6);
  int64_t flip_a = rng.below(2), flip_b = rng.below(2);
  RandomCase result{{{"transpose_a", flip_a}, {"transpose_b", flip_b}}, {}};
  result.inputs = {random_array(rng, flip_a ? Shape{depth, rows} : Shape{rows, depth}),
                   random_array(rng, flip_b ? Shape{columns, depth} : Shape{depth, columns})};
  if (rng.below(2)) {
    result.attributes["alpha"] = 0.5;
    result.attributes["beta"] = 2.0;
  }
  int64_t addend = rng.below(4);
  if (addend == 1) result.inputs.push_back(random_array(rng, {columns}));
  if (addend == 2) result.inputs.push_back(random_array(rng, {rows, 1}));
  if (addend == 3) result.inputs.push_back(random_array(rng, {rows, columns}));
  for (int i = 0; i < 2; ++i) result.layouts.push_back(rng.below(2) ? kTransposed : Layout());
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "gemm",
      .doc = "alpha * A B + beta * C for matrices A and B; C is broadcast.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"A", "W", "C"},
      .attributes = {{"transpose_a", "1: A is transposed"},
                     {"transpose_b", "1: B is transposed"},
                     {"alpha", "factor of the product"},
                     {"beta", "factor of C"}},
      .infer = infer,
      .computes = {{.name = "direct",
                    .doc = "every output is the sum over a row times a column",
                    .takes = takes,
                    .make = compute}},
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_gemm
