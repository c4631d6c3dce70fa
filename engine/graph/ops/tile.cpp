#include <fmt/format.h>

#include "engine/graph/shared/moves.h"
#include "engine/graph/shared/shapes.h"

namespace tw::op_tile {
namespace {

using namespace ops;

Result<Shape> tiled(Attributes const& attributes, Shape const& from) {
  Shape shape = from;
  std::vector<int64_t> repeats = integers(attributes, "repeats");
  if (repeats.size() != shape.size())
    return unfit(fmt::format("{} repeat counts for a tensor of {} dimensions", repeats.size(),
                             shape.size()));
  for (size_t i = 0; i < shape.size(); ++i)
    if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &shape[i]))
      return unfit(fmt::format("axis {} repeated {} times", i, repeats[i]));
  TRY(element_count(shape));
  return shape;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape from = shape_of(inputs[0]);
  TRY_ASSIGN(Shape shape, tiled(attributes, from));
  return move_compute(inputs[0], shape, name, [&](std::vector<ir::Expr> at) {
    for (size_t i = 0; i < at.size(); ++i) {
      if (from[i] == 1)
        at[i] = ir::int_imm(0);
      else if (shape[i] != from[i])
        at[i] = ir::floor_mod(at[i], ir::int_imm(from[i]));
    }
    return at;
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Shape shape, tiled(attributes, from));
  std::vector<int64_t> strides = row_major_strides(from);
  return move_elements(inputs[0], shape, [&](std::span<int64_t const> at) {
    int64_t flat = 0;
    for (size_t i = 0; i < at.size(); ++i) flat += at[i] % from[i] * strides[i];
    return flat;
  });
}

RandomCase random_case(Rng& rng) {
  Shape shape = random_shape(rng, size_t(rng.between(1, 4)), 4);
  return {{{"repeats", random_shape(rng, shape.size(), 3)}}, {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "tile",
      .doc = "The whole tensor repeated along its axes.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"repeats", "number of repeats, per axis"}},
      .infer = infer_shape<tiled>,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_tile
