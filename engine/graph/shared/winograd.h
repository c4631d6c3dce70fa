/// Convolutions of 3 x 3 by transformed tiles, with fewer multiplications.
/// Source: Lavin, Gray 2015, "Fast Algorithms for Convolutional Neural Networks".
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// The picture of a convolution of 3 x 3, stride 1, cut into tiles of `outputs` x `outputs` results
/// that reach beyond its last rows and columns where they do not divide it.
struct WinogradTiles {
  int64_t outputs = 2;           ///< along an edge of a tile, 2 or 4
  int64_t batch = 1;             ///< pictures
  std::vector<int64_t> in, out;  ///< rows and columns of the input and of the result
  std::vector<int64_t> before;   ///< padding, in front of each
  int64_t inputs() const { return outputs + 2; }  ///< along an edge: a tile's input
  int64_t places() const { return inputs() * inputs(); }
  int64_t along(size_t dim) const { return (out[dim] + outputs - 1) / outputs; }
  int64_t count() const { return batch * along(0) * along(1); }
};
/// Of a convolution's attributes and the shape N x C x H x W of its input. Errors: wrong_shapes,
/// where its kernel is another than 3 x 3, or has strides or dilations.
Result<WinogradTiles> winograd_tiles(int64_t outputs, Attributes const& attributes,
                                     Shape const& input);

/// A row for each number that is made, of factors of those that it is made of.
using Transform = std::vector<std::vector<double>>;
Transform const& weight_transform(int64_t outputs);  ///< G, (outputs + 2) x 3
Transform const& input_transform(int64_t outputs);   ///< B^T, (outputs + 2)^2
Transform const& output_transform(int64_t outputs);  ///< A^T, outputs x (outputs + 2)

/// A transform times a matrix times the transform turned, row by row; `matrix` likewise. For
/// references, in doubles.
std::vector<double> on_both_sides(Transform const& rows, std::vector<double> const& matrix);

/// G g G^T: weights O x C x 3 x 3 as places x O x C. The stage that makes them is called `name`.
Tensors winograd_weights(int64_t outputs, te::Buffer const& weights, std::string const& name);
/// B^T d B: the input N x C x H x W as places x C x tiles.
Tensors winograd_input(WinogradTiles const& tiles, te::Buffer const& input,
                       std::string const& name);
/// A^T m A: products places x O x tiles as the result N x O x H x W, plus a bias where it is not
/// null.
Tensors winograd_output(WinogradTiles const& tiles, te::Buffer const& products,
                        te::Buffer const& bias, std::string const& name);

}  // namespace tw::ops
