#include <fmt/format.h>

#include "engine/graph/shared/moves.h"
#include "engine/graph/shared/shapes.h"

namespace tw::op_depth_to_space {
namespace {

using namespace ops;

Result<Shape> widened(Attributes const& attributes, Shape const& from) {
  int64_t block = integer(attributes, "block");
  if (from.size() != 4) return unfit(fmt::format("a tensor of {} dimensions", from.size()));
  if (block < 1 || block > (1 << 15) || from[1] % (block * block) != 0)
    return unfit(
        fmt::format("{} channels cannot be divided into blocks of {}x{}", from[1], block, block));
  Shape shape{from[0], from[1] / (block * block), from[2] * block, from[3] * block};
  TRY(element_count(shape));
  return shape;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(Shape shape, widened(attributes, shape_of(inputs[0])));
  int64_t block = integer(attributes, "block"), depth = shape[1];
  bool column_row_depth = is_crd(attributes);
  return move_compute(inputs[0], shape, name, [&](std::vector<ir::Expr> at) {
    ir::Expr b = ir::int_imm(block);
    ir::Expr within = ir::floor_mod(at[2], b) * block + ir::floor_mod(at[3], b);
    ir::Expr channel = column_row_depth ? at[1] * (block * block) + within : within * depth + at[1];
    return std::vector{at[0], channel, ir::floor_div(at[2], b), ir::floor_div(at[3], b)};
  });
}

/// By its definition: reshaped to six dimensions, transposed, reshaped.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Shape shape, widened(attributes, from));
  int64_t block = integer(attributes, "block");
  bool column_row_depth = is_crd(attributes);
  Shape six = column_row_depth ? Shape{from[0], shape[1], block, block, from[2], from[3]}
                               : Shape{from[0], block, block, shape[1], from[2], from[3]};
  std::vector<int64_t> s = row_major_strides(six);
  return move_elements(inputs[0], shape, [&](std::span<int64_t const> at) {
    int64_t y = at[2] % block, x = at[3] % block;
    int64_t inner =
        column_row_depth ? at[1] * s[1] + y * s[2] + x * s[3] : y * s[1] + x * s[2] + at[1] * s[3];
    return at[0] * s[0] + inner + at[2] / block * s[4] + at[3] / block * s[5];
  });
}

RandomCase random_case(Rng& rng) {
  return random_blocks(rng, [](Shape shape, int64_t block) {
    shape[1] *= block * block;
    return shape;
  });
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "depth_to_space",
      .doc = "Channels rearranged into spatial blocks.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"block", "edge of a block"},
                     {"mode",
                      "dcr: a channel of the result varies fastest in the input's; crd: "
                      "the place in the block does"}},
      .infer = infer_shape<widened>,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_depth_to_space
