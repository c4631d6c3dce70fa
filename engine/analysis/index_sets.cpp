#include "engine/analysis/index_sets.h"

#include <algorithm>
#include <numeric>

namespace tw::analysis {
namespace {

constexpr int64_t kMostRange = 1 << 24;

/// 0, 1, ..., n-1.
bool is_interval(std::vector<int64_t> const& values) {
  return values.back() + 1 == int64_t(values.size());
}

bool has_gap(std::vector<int64_t> const& values, int64_t most) {
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] - values[i - 1] > most) return true;
  return false;
}

std::vector<int64_t> interval(int64_t size) {
  std::vector<int64_t> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// Sums of two sets of numbers from 0 upwards; `range` is larger than every sum.
std::optional<std::vector<int64_t>> sums(std::vector<int64_t> const& a,
                                         std::vector<int64_t> const& b, int64_t range) {
  if (b.size() == 1 && b[0] == 0) return a;
  if (a.size() == 1 && a[0] == 0) return b;
  if ((is_interval(a) && !has_gap(b, int64_t(a.size()))) ||
      (is_interval(b) && !has_gap(a, int64_t(b.size()))))
    return interval(a.back() + b.back() + 1);
  if (int64_t(a.size()) * int64_t(b.size()) > 4 * kMostPoints || range > kMostRange)
    return std::nullopt;
  std::vector<bool> reached(size_t(range), false);
  for (int64_t x : a)
    for (int64_t y : b) reached[size_t(x + y)] = true;
  std::vector<int64_t> result;
  for (size_t i = 0; i < reached.size(); ++i)
    if (reached[i]) result.push_back(int64_t(i));
  return result;
}

bool same_groups(Region const& a, Region const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto const& x, auto const& y) { return x.dimensions == y.dimensions; });
}

bool holds(Region const& outer, Region const& inner) {
  if (!same_groups(outer, inner)) return false;
  for (size_t i = 0; i < outer.size(); ++i)
    if (!std::includes(outer[i].values.begin(), outer[i].values.end(), inner[i].values.begin(),
                       inner[i].values.end()))
      return false;
  return true;
}

/// The union as one region, when all sets but one agree.
bool merge(Region& into, Region const& other) {
  if (!same_groups(into, other)) return false;
  size_t differing = into.size(), differences = 0;
  for (size_t i = 0; i < into.size(); ++i)
    if (into[i].values != other[i].values) differing = i, ++differences;
  if (differences > 1) return false;
  if (differences == 0) return true;
  std::vector<int64_t> both;
  std::set_union(into[differing].values.begin(), into[differing].values.end(),
                 other[differing].values.begin(), other[differing].values.end(),
                 std::back_inserter(both));
  into[differing].values = std::move(both);
  return true;
}

Region intersection(Region const& a, Region const& b) {
  Region result = a;
  for (size_t i = 0; i < a.size(); ++i) {
    result[i].values.clear();
    std::set_intersection(a[i].values.begin(), a[i].values.end(), b[i].values.begin(),
                          b[i].values.end(), std::back_inserter(result[i].values));
  }
  return result;
}

/// Lines of blocks of `block` bytes, one for each index along a dimension, `step` bytes apart.
int64_t lines_along(std::vector<int64_t> const& values, int64_t step, int64_t block, int64_t line) {
  int64_t lines = 0, last = -1;
  for (int64_t value : values) {
    int64_t first = value * step / line, end = (value * step + block - 1) / line;
    lines += end - std::max(first, last + 1) + 1;
    last = end;
  }
  return lines;
}

}  // namespace

/// A digit of mixed radix for each dimension, wide enough for every sum.
Sum::Packing Sum::packing() const {
  size_t rank = base_.size();
  Packing result{base_, std::vector<int64_t>(rank, 1), 1};
  Point high = base_;
  for (Points const& summand : summands_)
    for (size_t d = 0; d < rank; ++d) {
      int64_t least = summand[d], most = summand[d];
      for (size_t i = d; i < summand.size(); i += rank)
        least = std::min(least, summand[i]), most = std::max(most, summand[i]);
      result.low[d] += least;
      high[d] += most;
    }
  for (size_t d = rank; d-- > 0;) {
    result.stride[d] = result.range;
    result.range *= high[d] - result.low[d] + 1;
  }
  return result;
}

/// All sums as numbers; 0 is the least corner.
std::optional<std::vector<int64_t>> Sum::packed(Packing const& packing) const {
  size_t rank = base_.size();
  std::vector<int64_t> all{0};
  for (Points const& summand : summands_) {
    std::vector<int64_t> keys(summand.size() / rank, 0);
    for (size_t i = 0; i < summand.size(); ++i)
      keys[i / rank] += summand[i] * packing.stride[i % rank];
    // Each summand starts at its own least corner, whose digits are all 0.
    for (size_t d = 0; d < rank; ++d) {
      int64_t least = summand[d];
      for (size_t i = d; i < summand.size(); i += rank) least = std::min(least, summand[i]);
      for (int64_t& key : keys) key -= least * packing.stride[d];
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    auto next = sums(all, keys, packing.range);
    if (!next) return std::nullopt;
    all = std::move(*next);
  }
  return all;
}

std::optional<std::vector<int64_t>> Sum::within(Shape const& box) const {
  Packing packing = this->packing();
  auto keys = packed(packing);
  if (!keys) return std::nullopt;
  std::vector<int64_t> inside;
  for (int64_t key : *keys) {
    int64_t offset = 0;
    bool fits = true;
    for (size_t d = 0; d < box.size(); ++d) {
      int64_t index = packing.low[d] + key / packing.stride[d];
      key %= packing.stride[d];
      fits = fits && index >= 0 && index < box[d];
      offset = offset * box[d] + index;
    }
    if (fits) inside.push_back(offset);
  }
  return inside;
}

std::optional<std::vector<int64_t>> sums_without_gap(int64_t base,
                                                     std::vector<Progression> progressions,
                                                     int64_t box) {
  for (Progression& one : progressions) {
    if (one.factor >= 0) continue;
    base += one.factor * (one.extent - 1);  // counted from its other end
    one.factor = -one.factor;
  }
  std::ranges::sort(progressions, {}, &Progression::factor);
  int64_t length = 1;
  for (Progression const& one : progressions) {
    if (one.extent <= 1 || one.factor == 0) continue;
    if (one.factor > length) return std::nullopt;
    length += one.factor * (one.extent - 1);
  }
  int64_t first = std::max<int64_t>(base, 0), end = std::min(base + length, box);
  if (end - first > kMostPoints) return std::nullopt;
  std::vector<int64_t> values(size_t(std::max<int64_t>(end - first, 0)));
  std::iota(values.begin(), values.end(), first);
  return values;
}

void join(std::vector<Region>& regions, Region region) {
  for (size_t i = 0; i < regions.size();) {
    if (holds(regions[i], region)) return;
    if (holds(region, regions[i]) || merge(region, regions[i])) {
      regions.erase(regions.begin() + std::ptrdiff_t(i));
      i = 0;  // the larger region may now meet one that was passed
    } else {
      ++i;
    }
  }
  regions.push_back(std::move(region));
}

int64_t size_of_region(Region const& region) {
  int64_t size = 1;
  for (IndexSet const& set : region) size *= int64_t(set.values.size());
  return size;
}

std::optional<int64_t> size_of_union(std::vector<Region> const& regions) {
  if (regions.size() > 6) return std::nullopt;
  for (Region const& region : regions)
    if (!same_groups(region, regions.front())) return std::nullopt;
  int64_t total = 0;
  for (size_t subset = 1; subset < (size_t(1) << regions.size()); ++subset) {
    std::optional<Region> common;
    int count = 0;
    for (size_t i = 0; i < regions.size(); ++i) {
      if (!(subset >> i & 1)) continue;
      common = common ? intersection(*common, regions[i]) : regions[i];
      ++count;
    }
    total += (count % 2 == 1 ? 1 : -1) * size_of_region(*common);
  }
  return total;
}

int64_t lines_of(Region const& region, Shape const& shape, Shape const& strides,
                 int64_t element_bytes, int64_t line_bytes) {
  int64_t block = element_bytes, elements = size_of_region(region);
  if (elements == 0) return 0;
  // Dimensions that are covered wholly, from the last one, make one long row.
  for (size_t d = shape.size(); d-- > 0;) {
    auto set = std::find_if(region.begin(), region.end(), [&](IndexSet const& s) {
      return std::find(s.dimensions.begin(), s.dimensions.end(), d) != s.dimensions.end();
    });
    if (set == region.end() || set->dimensions.size() != 1)
      return (elements * element_bytes + line_bytes - 1) / line_bytes;
    elements /= int64_t(set->values.size());
    int64_t step = strides[d] * element_bytes;
    if (int64_t(set->values.size()) < shape[d] || step != block)
      return elements * lines_along(set->values, step, block, line_bytes);
    block *= shape[d];
  }
  return (block + line_bytes - 1) / line_bytes;
}

}  // namespace tw::analysis
