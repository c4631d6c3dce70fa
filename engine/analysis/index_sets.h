/// Sets of index vectors: sums of sets, products of sets over groups of dimensions, their unions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/tensor/ndarray.h"

namespace tw::analysis {

using Point = std::vector<int64_t>;

/// Larger sets are not gone through.
constexpr int64_t kMostPoints = 1 << 20;

/// Vectors of one length, one after the other.
using Points = std::vector<int64_t>;

/// base + one vector of each summand.
class Sum {
public:
  explicit Sum(Point base) : base_(std::move(base)) {}
  void add(Points points) { summands_.push_back(std::move(points)); }
  /// The sums that lie inside of a box that begins at 0, as row-major offsets in it, ascending;
  /// nothing when there are too many.
  std::optional<std::vector<int64_t>> within(Shape const& box) const;

private:
  struct Packing {
    Point low;
    std::vector<int64_t> stride;
    int64_t range = 1;
  };
  Packing packing() const;
  std::optional<std::vector<int64_t>> packed(Packing const& packing) const;

  Point base_;
  std::vector<Points> summands_;
};

/// factor * 0, factor * 1, ..., factor * (extent - 1).
struct Progression {
  int64_t factor = 1, extent = 1;
};

/// base + one number of each progression, as far as these lie in [0, box), where no number is left
/// out between the least and the largest sum; nothing where there are gaps.
std::optional<std::vector<int64_t>> sums_without_gap(int64_t base,
                                                     std::vector<Progression> progressions,
                                                     int64_t box);

/// Indices over some dimensions of a tensor that depend on each other.
struct IndexSet {
  std::vector<size_t> dimensions;
  std::vector<int64_t> values;  ///< row-major offsets in these dimensions, ascending, no twins
  bool operator==(IndexSet const&) const = default;
};
/// The product of its sets: each element takes one vector of each.
using Region = std::vector<IndexSet>;

/// Adds a region to a list whose union is meant; regions that differ in one set become one.
void join(std::vector<Region>& regions, Region region);
int64_t size_of_region(Region const& region);
/// Exact for up to six regions over the same groups of dimensions (by inclusion and exclusion).
std::optional<int64_t> size_of_union(std::vector<Region> const& regions);
/// Cache lines of `line_bytes` that hold the elements of a row-major tensor that begins a line.
/// `strides`: of each dimension, in elements.
int64_t lines_of(Region const& region, Shape const& shape, Shape const& strides,
                 int64_t element_bytes, int64_t line_bytes);

}  // namespace tw::analysis
