/// What many operators share: broadcasting, axes, elements of tensors.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/operator.h"
#include "engine/ir/op.h"

namespace tw::ops {

using Infos = std::span<TensorInfo const* const>;
using Arrays = std::span<NDArray const>;
using Buffers = std::span<te::Buffer const>;
using InferResult = Result<std::vector<TensorInfo>>;
using ReferenceResult = Result<std::vector<NDArray>>;

/// `wrong_shapes` or, for operands of an unsuitable type, the same with its sentence.
std::unexpected<Error> unfit(std::string message);
/// A foreign node that we cannot express: code `unsupported`.
std::unexpected<Error> unsupported(std::string message);

/// At least `least` and at most `most` operands, the first `least` present.
Status expect_inputs(Infos inputs, size_t least, size_t most);
std::vector<TensorInfo> one(DType type, Shape shape);

/// Axis counted from the end when negative; error when outside [-rank, rank).
Result<int64_t> normal_axis(int64_t axis, size_t rank);

/// numpy's rule; error `wrong_shapes`.
Result<Shape> broadcast(Shape const& a, Shape const& b);
/// Of all present operands.
Result<Shape> broadcast_all(Infos inputs);

/// Calls `f(flat output index, flat index of each operand)` in row-major order.
void for_each_broadcast(Shape const& out, std::vector<Shape> const& operands,
                        std::function<void(int64_t, std::span<int64_t const>)> const& f);
/// `f` on one operand, element by element.
ReferenceResult map_elements(NDArray const& input, std::function<double(double)> const& f);
/// `f` on two broadcast operands.
ReferenceResult zip_elements(NDArray const& a, NDArray const& b,
                             std::function<double(double, double)> const& f);

std::vector<int64_t> row_major_strides(Shape const& shape);
Shape shape_of(te::Buffer const& buffer);

/// Axes named n, c, y, x (by rank) with roles batch, channel, height, width.
std::vector<te::Axis> output_axes(Shape const& shape);
/// Reads `buffer` at the last of `axes`, index 0 where its extent is 1 and the axis' is not.
ir::Expr load_broadcast(te::Buffer const& buffer, std::vector<te::Axis> const& axes);
/// An immediate of the type, whatever it is.
ir::Expr immediate(double value, DType type);
Tensors single(te::Stage stage);
/// Tensor whose element at flat index i is the input's element at flat index i.
Tensors reshape_compute(te::Buffer const& input, Shape const& shape, std::string const& name,
                        std::string const& op);

/// Uniform extents in [1, most].
Shape random_shape(Rng& rng, size_t rank, int64_t most);
NDArray random_array(Rng& rng, Shape const& shape, DType type = DType::kF32);

}  // namespace tw::ops
