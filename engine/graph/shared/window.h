/// Sliding windows of convolutions and pools: extents, strides, dilations and padding.
#pragma once

#include "engine/graph/computes.h"
#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// One entry per spatial axis.
struct Window {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  ///< padding
  std::vector<int64_t> beyond;         ///< what ceil mode reads behind the padding
  std::vector<int64_t> in, out;        ///< spatial extents
  bool padded() const;
  size_t rank() const { return kernel.size(); }
};

/// Reads attributes kernel, strides, dilations, pads, auto_pad ("", "same_upper", "same_lower",
/// "valid") and ceil for an input N x C x spatial.... Errors: wrong_shapes.
Result<Window> window_of(Attributes const& attributes, Shape const& input);

/// Of a pool: what `window_of` reads but for "dilations", which not each of them has, and then
/// `more`.
std::vector<AttributeDoc> pool_attributes(AttributeDoc more);

/// Leaves out the first and last taps of each axis that only ever meet padding: for every result
/// there is another window with less padding then. How many first ones were left out, per axis.
std::vector<int64_t> drop_taps_on_padding(Window& window);

/// "z", "y", "x" as far as the rank goes, and the kernel's "t", "r", "s".
std::vector<te::Axis> spatial_axes(Window const& window);
std::vector<te::Axis> kernel_axes(Window const& window);
/// How many elements of a tensor's first two dimensions lie side by side; 0: it has no blocks of
/// it.
struct LeadingBlocks {
  int64_t first = 0, second = 0;
  bool operator==(LeadingBlocks const&) const = default;
};
/// Of the plain layout, of "ABCD16b", "ABCD16a", "ABCD4a16b"; empty: it lies in another way.
std::optional<LeadingBlocks> leading_blocks(Layout const& layout);
/// The layout with these blocks, of a rank of at least 2.
Layout leading_layout(size_t rank, LeadingBlocks const& blocks);
/// What is stored behind N x C x spatial of this rank: axes "a" and "b", as the layout's letters.
std::vector<te::Axis> block_axes(Shape const& stored, size_t rank);

/// Stage "pad": the input N x C x spatial, or N/a x C/b x spatial x a x b, with `fill` around it.
te::Stage pad_stage(te::Buffer const& input, Window const& window, ir::Expr fill);
/// n, c, y*stride + r*dilation, ...
std::vector<ir::Expr> window_indices(Window const& window, ir::Expr n, ir::Expr c);

/// N x C x the extents of the result.
Shape pooled_shape(Window const& window, Shape const& input);
/// `input` as it is stored: with axes "a" and "b" where it is in blocks.
std::vector<te::Axis> pooled_axes(Window const& window, Shape const& input);
/// Input and result are plain, or both lie in the same whole blocks of images and channels.
Status pool_takes(Attributes const& attributes, Arrangement const& arrangement);
/// A pool's stages: `fill` around the input where it is padded, and `combiner` over each window, a
/// stage `name` of the operator `op`; in the input's type where `type` is not given.
Tensors pool_stages(te::Buffer const& input, Window const& window, ir::Expr const& fill,
                    te::Combiner combiner, std::string const& name, std::string const& op,
                    std::optional<DType> type = {});
/// The same in plain loops: `f(elements of a window, flat position in its plane)`, of `type`.
ReferenceResult map_windows(NDArray const& x, Window const& window, DType type,
                            std::function<double(std::span<double const>, int64_t)> const& f);

/// Random attributes for an input whose spatial extents are `in`.
Attributes random_window(Rng& rng, std::vector<int64_t> const& in, bool pooling);
/// A pool over one to three axes, plain or in blocks of channels.
RandomCase random_pool(Rng& rng);
/// Largest number of windows that one element lies in.
int64_t window_rereads(Attributes const& attributes);

/// Calls `f(input plane index or -1 for padding, kernel index)` for every kernel position of the
/// window at flat output position `at`.
void for_each_in_window(Window const& window, int64_t at,
                        std::function<void(int64_t, int64_t)> const& f);

}  // namespace tw::ops
