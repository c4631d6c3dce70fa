#include <fmt/format.h>

#include "engine/graph/shared/moves.h"
#include "engine/graph/shared/shapes.h"

namespace tw::op_space_to_depth {
namespace {

using namespace ops;

Result<Shape> narrowed(Attributes const& attributes, Shape const& from) {
  int64_t block = integer(attributes, "block");
  if (from.size() != 4) return unfit(fmt::format("a tensor of {} dimensions", from.size()));
  if (block < 1 || block > (1 << 15) || from[2] % block != 0 || from[3] % block != 0)
    return unfit(fmt::format("a plane of {}x{} cannot be divided into blocks of {}x{}", from[2],
                             from[3], block, block));
  Shape shape{from[0], 0, from[2] / block, from[3] / block};
  if (__builtin_mul_overflow(from[1], block * block, &shape[1]))
    return unfit(fmt::format("{} channels in blocks of {}", from[1], block));
  TRY(element_count(shape));
  return shape;
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  Shape from = shape_of(inputs[0]);
  TRY_ASSIGN(Shape shape, narrowed(attributes, from));
  int64_t block = integer(attributes, "block");
  return move_compute(inputs[0], shape, name, [&](std::vector<ir::Expr> at) {
    bool crd = is_crd(attributes);
    ir::Expr depth = ir::int_imm(crd ? block * block : from[1]);
    ir::Expr high = ir::floor_div(at[1], depth), low = ir::floor_mod(at[1], depth);
    ir::Expr channel = crd ? high : low, within = crd ? low : high;
    ir::Expr y = at[2] * block + ir::floor_div(within, ir::int_imm(block));
    ir::Expr x = at[3] * block + ir::floor_mod(within, ir::int_imm(block));
    return std::vector{at[0], channel, y, x};
  });
}

/// By its definition: reshaped to six dimensions, transposed, reshaped.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  Shape const& from = inputs[0].shape();
  TRY_ASSIGN(Shape shape, narrowed(attributes, from));
  int64_t block = integer(attributes, "block");
  std::vector<int64_t> s = row_major_strides({from[0], from[1], shape[2], block, shape[3], block});
  return move_elements(inputs[0], shape, [&](std::span<int64_t const> at) {
    int64_t depth = is_crd(attributes) ? block * block : from[1];
    int64_t channel = at[1] % depth, within = at[1] / depth;
    if (is_crd(attributes)) std::swap(channel, within);
    return at[0] * s[0] + channel * s[1] + at[2] * s[2] + within / block * s[3] + at[3] * s[4] +
           within % block * s[5];
  });
}

RandomCase random_case(Rng& rng) {
  return random_blocks(rng, [](Shape shape, int64_t block) {
    shape[2] *= block;
    shape[3] *= block;
    return shape;
  });
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "space_to_depth",
      .doc = "Spatial blocks rearranged into channels.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"block", "edge of a block"},
                     {"mode", "dcr: channels within places of a block; crd: the other way round"}},
      .infer = infer_shape<narrowed>,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_space_to_depth
