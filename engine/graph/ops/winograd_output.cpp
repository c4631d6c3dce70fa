#include <fmt/format.h>

#include "engine/graph/shared/winograd.h"

namespace tw::op_winograd_output {
namespace {

using namespace ops;

WinogradTiles tiles_of(Attributes const& attributes) {
  std::vector<int64_t> shape = integers(attributes, "shape");
  WinogradTiles tiles;
  tiles.outputs = integer(attributes, "outputs");
  tiles.batch = shape[0];
  tiles.out = {shape[1], shape[2]};
  return tiles;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 2));
  std::vector<int64_t> shape = integers(attributes, "shape");
  int64_t outputs = integer(attributes, "outputs");
  if (shape.size() != 3 || (outputs != 2 && outputs != 4))
    return unfit("a result has pictures, rows and columns, in tiles of 2x2 or 4x4");
  for (int64_t extent : shape)
    if (extent < 1 || extent > (1 << 20)) return unfit(fmt::format("an extent of {}", extent));
  WinogradTiles tiles = tiles_of(attributes);
  Shape const& from = inputs[0]->shape;
  if (from.size() != 3 || from[0] != tiles.places() || from[2] != tiles.count())
    return unfit(fmt::format("products of shape {} are not those of {} tiles of {} places",
                             to_text(from), tiles.count(), tiles.places()));
  if (!is_float(inputs[0]->type) || size_of(inputs[0]->type) < 4)
    return unsupported("products that are not f32 or f64");
  bool biased = inputs.size() > 1 && inputs[1];
  if (biased && (inputs[1]->shape != Shape{from[1]} || inputs[1]->type != inputs[0]->type))
    return unfit(
        fmt::format("a bias of shape {} for {} channels", to_text(inputs[1]->shape), from[1]));
  return one(inputs[0]->type, {shape[0], from[1], shape[1], shape[2]});
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return ops::winograd_output(tiles_of(attributes), inputs[0],
                              inputs.size() > 1 ? inputs[1] : nullptr, name);
}

/// Writes the results of tile `p` that are in the picture.
void write_tile(WinogradTiles const& tiles, std::vector<double> const& made, int64_t p,
                int64_t channel, int64_t channels, double bias, NDArray& out) {
  int64_t of_picture = tiles.along(0) * tiles.along(1), rows = tiles.out[0], columns = tiles.out[1],
          m = tiles.outputs;
  for (int64_t i = 0; i < m * m; ++i) {
    int64_t y = p / tiles.along(1) % tiles.along(0) * m + i / m, x = p % tiles.along(1) * m + i % m;
    if (y < rows && x < columns)
      out.set_value(((p / of_picture * channels + channel) * rows + y) * columns + x,
                    made[size_t(i)] + bias);
  }
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  WinogradTiles tiles = tiles_of(attributes);
  int64_t channels = inputs[0].shape()[1], count = tiles.count();
  TRY_ASSIGN(NDArray out, NDArray::create(inputs[0].type(),
                                          {tiles.batch, channels, tiles.out[0], tiles.out[1]}));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t p = 0; p < count; ++p) {
      std::vector<double> places;
      for (int64_t t = 0; t < tiles.places(); ++t)
        places.push_back(inputs[0].value_at((t * channels + c) * count + p));
      bool biased = inputs.size() > 1 && !inputs[1].empty();
      write_tile(tiles, on_both_sides(output_transform(tiles.outputs), places), p, c, channels,
                 biased ? inputs[1].value_at(c) : 0, out);
    }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  std::vector<int64_t> shape{rng.between(1, 3), rng.between(1, 9), rng.between(1, 9)};
  RandomCase result{{{"outputs", rng.below(2) ? int64_t(2) : int64_t(4)}, {"shape", shape}}, {}};
  WinogradTiles tiles = tiles_of(result.attributes);
  int64_t channels = rng.between(1, 4);
  result.inputs = {random_array(rng, {tiles.places(), channels, tiles.count()})};
  if (rng.below(2)) result.inputs.push_back(random_array(rng, {channels}));
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "winograd_output",
      .doc =
          "Products of transformed tiles and weights, places x O x tiles, turned back into the "
          "result N x O x H x W of a convolution (Winograd), with an optional bias per channel.",
      .fusion = Fusion::kComplexOutFusable,
      .inputs = {"M", "B"},
      .attributes = {{"outputs", "results along an edge of a tile: 2 or 4"},
                     {"shape", "pictures, rows and columns of the result"}},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_winograd_output
