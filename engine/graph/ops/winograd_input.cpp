#include "engine/graph/shared/winograd.h"

namespace tw::op_winograd_input {
namespace {

using namespace ops;

Result<WinogradTiles> tiles_of(Attributes const& attributes, Shape const& shape) {
  return winograd_tiles(integer(attributes, "outputs"), attributes, shape);
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(WinogradTiles tiles, tiles_of(attributes, inputs[0]->shape));
  if (!is_float(inputs[0]->type) || size_of(inputs[0]->type) < 4)
    return unsupported("images that are not f32 or f64");
  return one(inputs[0]->type, {tiles.places(), inputs[0]->shape[1], tiles.count()});
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  TRY_ASSIGN(WinogradTiles tiles, tiles_of(attributes, shape_of(inputs[0])));
  return ops::winograd_input(tiles, inputs[0], name);
}

/// The input of tile `p`, zeros where it reaches beyond the picture; `channel` is of all pictures.
std::vector<double> tile_at(WinogradTiles const& tiles, NDArray const& x, int64_t channel,
                            int64_t p) {
  std::vector<double> values;
  int64_t row = p / tiles.along(1) % tiles.along(0) * tiles.outputs - tiles.before[0],
          column = p % tiles.along(1) * tiles.outputs - tiles.before[1];
  for (int64_t y = row; y < row + tiles.inputs(); ++y)
    for (int64_t c = column; c < column + tiles.inputs(); ++c) {
      bool inside = y >= 0 && y < tiles.in[0] && c >= 0 && c < tiles.in[1];
      values.push_back(inside ? x.value_at((channel * tiles.in[0] + y) * tiles.in[1] + c) : 0);
    }
  return values;
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(WinogradTiles tiles, tiles_of(attributes, inputs[0].shape()));
  int64_t channels = inputs[0].shape()[1], count = tiles.count();
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(), {tiles.places(), channels, count}));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t p = 0; p < count; ++p) {
      int64_t picture = p / (tiles.along(0) * tiles.along(1));
      std::vector<double> made = on_both_sides(
          input_transform(tiles.outputs), tile_at(tiles, inputs[0], picture * channels + c, p));
      for (int64_t t = 0; t < tiles.places(); ++t)
        out.set_value((t * channels + c) * count + p, made[size_t(t)]);
    }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  std::vector<int64_t> pads;
  for (int side = 0; side < 4; ++side) pads.push_back(rng.between(0, 2));
  auto extent = [&](size_t dim) {
    return rng.between(std::max<int64_t>(1, 3 - pads[dim] - pads[dim + 2]), 11);
  };
  Shape shape{rng.between(1, 3), rng.between(1, 4), extent(0), extent(1)};
  return {{{"outputs", rng.below(2) ? int64_t(2) : int64_t(4)},
           {"kernel", std::vector<int64_t>{3, 3}},
           {"pads", pads}},
          {random_array(rng, shape)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "winograd_input",
      .doc =
          "An image N x C x H x W in overlapping tiles, transformed for a convolution with "
          "kernels of 3x3 (Winograd): one matrix C x tiles for each place of a tile.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"X"},
      .attributes = {{"outputs", "results along an edge of a tile: 2 or 4"},
                     {"kernel", "of the convolution: [3, 3]"},
                     {"pads", "zero padding before each axis, then after each"},
                     {"auto_pad", "same_upper, same_lower or valid instead of pads"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_winograd_input
