/// How a tensor's elements lie: in which order its dimensions go, and which are cut into blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw {

/// `Layout()` is the plain one of every rank: row-major, in the order of the shape.
/// Text: a capital letter per dimension (A is the first of the shape), outermost first, then each
/// block by its size and the small letter of its dimension; "plain" for the plain one.
///   "ABCD16b"  N x C x H x W, stored as N x C/16 x H x W x 16 (elsewhere called NCHW16c)
///   "BA"       rows x columns, stored as columns x rows
/// A last block that the extent does not fill is stored whole, with zeros.
class Layout {
public:
  struct Block {
    size_t dim = 0;
    int64_t size = 1;
    bool operator==(Block const&) const = default;
  };
  /// A letter of the text: a block of a dimension, or (`block` 0) what lies outside of its blocks.
  struct Part {
    size_t dim = 0;
    int64_t block = 0;
    bool operator==(Part const&) const = default;
  };
  /// One dimension as stored: a step along it is `step` elements of dimension `dim` of the shape.
  struct Axis {
    size_t dim = 0;
    int64_t step = 1;
  };

  Layout() = default;
  /// `order` names every dimension once. Errors: bad_layout.
  static Result<Layout> create(std::vector<size_t> order, std::vector<Block> blocks = {});
  /// Outermost first. A block comes after its dimension, but other dimensions may follow it, which
  /// `parse` does not read: "A4aB". Errors: bad_layout.
  static Result<Layout> of_parts(std::vector<Part> parts);
  /// Errors: bad_layout.
  static Result<Layout> parse(std::string_view text);
  /// The plain order with one dimension in blocks: (4, 1, 16) is "ABCD16b".
  static Layout in_blocks(size_t rank, size_t dim, int64_t size);

  bool is_plain() const { return parts_.empty(); }
  /// The plain one fits every rank.
  bool fits(size_t rank) const { return is_plain() || dimensions() == rank; }
  bool has_block(size_t dim) const;
  /// The block's size where it is `in_blocks(rank, dim, size)`, 0 where it is plain; else empty.
  std::optional<int64_t> only_block(size_t dim) const;

  /// Outermost first. `rank` is that of the shape, which must fit.
  std::vector<Part> parts(size_t rank) const;
  std::vector<Axis> axes(size_t rank) const;  ///< one for each part
  /// The extents as stored; `shape` must fit.
  Shape stored(Shape const& shape) const;

  bool operator==(Layout const&) const = default;
  auto operator<=>(Layout const& other) const { return letters() <=> other.letters(); }
  std::string letters() const;  ///< the text; empty for the plain one

private:
  size_t dimensions() const;

  std::vector<Part> parts_;  ///< empty: plain
};

std::string to_text(Layout const& layout);

/// The elements of a plain tensor as the layout stores them. Errors: wrong_shapes where the rank
/// does not fit, tensor_too_large.
Result<NDArray> to_layout(NDArray const& plain, Layout const& layout);
/// The other way, for a tensor of `shape`. Errors: the same.
Result<NDArray> from_layout(NDArray const& stored, Layout const& layout, Shape const& shape);

}  // namespace tw
