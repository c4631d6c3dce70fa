#include <fmt/format.h>

#include "engine/graph/shared/indexing.h"
#include "engine/tensor/integers.h"

namespace tw::op_gather_nd {
namespace {

using namespace ops;

/// Indices are rows of `depth` numbers, the places along the axes behind the batches.
struct Rows {
  size_t batches = 0, depth = 0;
  Shape out;
};

Result<Rows> rows_of(Attributes const& attributes, Shape const& from, Shape const& indices) {
  int64_t batches = integer(attributes, "batch_dims");
  bool fits = batches >= 0 && batches < int64_t(std::min(from.size(), indices.size()));
  for (int64_t i = 0; fits && i < batches; ++i) fits = from[size_t(i)] == indices[size_t(i)];
  fits = fits && indices.back() >= 0 && indices.back() <= int64_t(from.size()) - batches;
  if (!fits)
    return unfit(fmt::format("indices of shape {} for a tensor of shape {} with {} batch axes",
                             to_text(indices), to_text(from), batches));
  Rows rows{size_t(batches), size_t(indices.back()), Shape(indices.begin(), indices.end() - 1)};
  rows.out.insert(rows.out.end(), from.begin() + int64_t(rows.batches + rows.depth), from.end());
  TRY(element_count(rows.out));
  return rows;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 2, 2));
  if (!is_integer(inputs[1]->type)) return unfit("the indices are not integers");
  TRY_ASSIGN(Rows rows, rows_of(attributes, inputs[0]->shape, inputs[1]->shape));
  return one(inputs[0]->type, rows.out);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape from = shape_of(inputs[0]), indices = shape_of(inputs[1]);
  TRY_ASSIGN(Rows rows, rows_of(attributes, from, indices));
  std::vector<te::Axis> axes = output_axes(rows.out);
  std::vector<ir::Expr> vars = te::vars(axes);
  auto row_end = vars.begin() + int64_t(indices.size()) - 1;
  std::vector<ir::Expr> at(vars.begin(), vars.begin() + int64_t(rows.batches));
  for (size_t k = 0; k < rows.depth; ++k) {
    std::vector<ir::Expr> row(vars.begin(), row_end);
    row.push_back(ir::int_imm(int64_t(k)));
    at.push_back(safe_index(ir::load(inputs[1], row), from[rows.batches + k]));
  }
  at.insert(at.end(), row_end, vars.end());
  return single(te::compute(name, axes, ir::load(inputs[0], at), name));
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Rows rows, rows_of(attributes, from, inputs[1].shape()));
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), rows.out));
  std::vector<int64_t> strides = row_major_strides(from);
  size_t first = rows.batches, last = rows.batches + rows.depth;
  int64_t slice = 1, count = 1, batches = 1;
  for (size_t i = last; i < from.size(); ++i) slice *= from[i];
  for (int64_t extent : Shape(inputs[1].shape().begin(), inputs[1].shape().end() - 1))
    count *= extent;
  for (size_t i = 0; i < first; ++i) batches *= from[i];
  int64_t batch_size = first > 0 ? strides[first - 1] : 0;
  auto bytes = size_t(slice * size_of(out.type()));
  for (int64_t row = 0; row < count; ++row) {
    int64_t source = row / std::max<int64_t>(1, count / batches) * batch_size;
    for (size_t k = first; k < last; ++k) {
      int64_t given = integer_at(inputs[1], row * int64_t(rows.depth) + int64_t(k - first));
      TRY_ASSIGN(int64_t index, checked_index(given, from[k]));
      source += index * strides[k];
    }
    std::copy_n(static_cast<std::byte const*>(inputs[0].data()) + source * size_of(out.type()),
                bytes, static_cast<std::byte*>(out.data()) + size_t(row) * bytes);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4)), batches = size_t(rng.below(int64_t(rank)));
  Shape from = random_shape(rng, rank, 4);
  int64_t depth = rng.between(1, int64_t(rank - batches));
  Shape indices(from.begin(), from.begin() + int64_t(batches));
  for (int64_t i = rng.below(3); i > 0; --i) indices.push_back(rng.between(1, 3));
  indices.push_back(depth);
  NDArray places = NDArray::create(DType::kI64, indices).value();
  for (int64_t i = 0; i < places.size(); ++i) {
    int64_t extent = from[batches + size_t(i % depth)];
    places.set_value(i, double(rng.between(-extent, extent - 1)));
  }
  return {{{"batch_dims", int64_t(batches)}}, {random_array(rng, from), places}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "gather_nd",
      .doc = "Slices selected by rows of indices along the first axes.",
      .fusion = Fusion::kInjective,
      .inputs = {"X", "I"},
      .attributes = {{"batch_dims", "number of first axes that are batches in both tensors"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_gather_nd
