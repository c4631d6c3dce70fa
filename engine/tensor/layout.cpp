#include "engine/tensor/layout.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace tw {
namespace {

constexpr size_t kMostDims = 26;  // a letter each
constexpr int64_t kMostBlock = 1 << 16;

std::unexpected<Error> bad(std::string_view text, std::string const& why) {
  return bad_input("bad_layout", "'" + std::string(text) + "' is not a layout: " + why);
}

/// Reads "16b" behind `text[at]`.
Result<Layout::Block> parse_block(std::string_view text, size_t& at) {
  Layout::Block block;
  auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), block.size);
  at = size_t(end - text.data());
  if (error != std::errc() || at >= text.size() || text[at] < 'a' || text[at] > 'z')
    return bad(text, "a block is a number followed by a lowercase letter");
  block.dim = size_t(text[at++] - 'a');
  return block;
}

/// A stored axis while elements are moved.
struct Walked {
  size_t dim;
  int64_t step, extent, at;
  int64_t stride;  ///< in elements of the plain tensor
};

std::vector<Walked> walked_axes(Layout const& layout, Shape const& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<Layout::Axis> axes = layout.axes(shape.size());
  Shape stored = layout.stored(shape);
  std::vector<Walked> walked;
  for (size_t i = 0; i < axes.size(); ++i)
    walked.push_back(
        {axes[i].dim, axes[i].step, stored[i], 0, axes[i].step * strides[axes[i].dim]});
  return walked;
}

/// The next position of all axes but the last; false after the last one.
bool advance(std::vector<Walked>& axes) {
  for (size_t i = axes.size() - 1; i-- > 0;) {
    if (++axes[i].at < axes[i].extent) return true;
    axes[i].at = 0;
  }
  return false;
}

/// Calls `f(first stored element, first plain element, count, stride in the plain tensor)` for
/// every row along the last stored axis, as far as it holds elements of the shape.
template <typename F>
void for_each_row(Layout const& layout, Shape const& shape, F const& f) {
  if (shape.empty()) return f(0, 0, 1, 1);
  std::vector<Walked> axes = walked_axes(layout, shape);
  Walked const& row = axes.back();
  if (std::ranges::any_of(axes, [](Walked const& axis) { return axis.extent == 0; })) return;
  std::vector<int64_t> index(shape.size());
  int64_t stored = 0;
  do {
    std::ranges::fill(index, 0);
    int64_t plain = 0;
    for (size_t i = 0; i + 1 < axes.size(); ++i) {
      index[axes[i].dim] += axes[i].at * axes[i].step;
      plain += axes[i].at * axes[i].stride;
    }
    bool inside = true;
    for (size_t d = 0; d < shape.size(); ++d) inside = inside && index[d] < shape[d];
    int64_t left = (shape[row.dim] - index[row.dim] + row.step - 1) / row.step;
    if (inside) f(stored, plain, std::min(row.extent, left), row.stride);
    stored += row.extent;
  } while (advance(axes));
}

template <typename T>
void store_as(NDArray const& plain, Layout const& layout, NDArray& stored) {
  auto const* from = static_cast<T const*>(plain.data());
  auto* to = static_cast<T*>(stored.data());
  for_each_row(layout, plain.shape(), [&](int64_t at, int64_t first, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i) to[at + i] = from[first + i * step];
  });
}

template <typename T>
void load_as(NDArray const& stored, Layout const& layout, NDArray& plain) {
  auto const* from = static_cast<T const*>(stored.data());
  auto* to = static_cast<T*>(plain.data());
  for_each_row(layout, plain.shape(), [&](int64_t at, int64_t first, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i) to[first + i * step] = from[at + i];
  });
}

/// Calls `f` with an unsigned integer of the size: elements are moved as they are.
template <typename F>
void with_element(int64_t size, F const& f) {
  if (size == 1) f(uint8_t());
  if (size == 2) f(uint16_t());
  if (size == 4) f(uint32_t());
  if (size == 8) f(uint64_t());
}

std::unexpected<Error> no_fit(Layout const& layout, Shape const& shape) {
  return bad_input("wrong_shapes", "a tensor of shape " + to_text(shape) +
                                       " cannot have the layout " + to_text(layout));
}

}  // namespace

Result<Layout> Layout::create(std::vector<size_t> order, std::vector<Block> blocks) {
  std::vector<size_t> plain(order.size()), sorted = order;
  std::iota(plain.begin(), plain.end(), 0);
  std::ranges::sort(sorted);
  if (sorted != plain || plain.size() > kMostDims)
    return bad_input("bad_layout", "a layout names every dimension once; at most 26 are possible");
  for (Block const& block : blocks)
    if (block.dim >= plain.size() || block.size < 1 || block.size > kMostBlock)
      return bad_input("bad_layout",
                       "a block must have 1 to 65536 elements of one of the dimensions");
  Layout layout;
  if (order == plain && blocks.empty()) return layout;
  for (size_t dim : order) layout.parts_.push_back({dim, 0});
  for (Block const& block : blocks) layout.parts_.push_back({block.dim, block.size});
  return layout;
}

Result<Layout> Layout::of_parts(std::vector<Part> parts) {
  std::vector<size_t> order;
  std::vector<Block> blocks;
  for (Part const& part : parts) {
    if (part.block == 0) order.push_back(part.dim);
    if (part.block != 0) blocks.push_back({part.dim, part.block});
    if (std::ranges::find(order, part.dim) == order.end())
      return bad_input("bad_layout", "a block comes after its dimension");
  }
  TRY_ASSIGN(Layout layout, create(std::move(order), std::move(blocks)));
  if (!layout.is_plain()) layout.parts_ = std::move(parts);
  return layout;
}

Result<Layout> Layout::parse(std::string_view text) {
  if (text == "plain") return Layout();
  std::vector<size_t> order;
  std::vector<Block> blocks;
  size_t at = 0;
  for (; at < text.size() && text[at] >= 'A' && text[at] <= 'Z'; ++at)
    order.push_back(size_t(text[at] - 'A'));
  if (order.empty()) return bad(text, "it names no dimension");
  while (at < text.size()) {
    TRY_ASSIGN(Block block, parse_block(text, at));
    blocks.push_back(block);
  }
  auto layout = create(std::move(order), std::move(blocks));
  return layout ? layout : bad(text, layout.error().message);
}

Layout Layout::in_blocks(size_t rank, size_t dim, int64_t size) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  auto layout = create(std::move(order), {{dim, size}});
  TW_ASSERT(layout, "the caller gives a dimension of the rank and a size within bounds");
  return *layout;
}

bool Layout::has_block(size_t dim) const {
  return std::ranges::any_of(parts_,
                             [&](Part const& part) { return part.dim == dim && part.block > 0; });
}

std::optional<int64_t> Layout::only_block(size_t dim) const {
  if (is_plain()) return 0;
  Part last = parts_.back();
  bool one = last.block > 0 && last.dim == dim && *this == in_blocks(dimensions(), dim, last.block);
  return one ? std::optional(last.block) : std::nullopt;
}

size_t Layout::dimensions() const { return size_t(std::ranges::count(parts_, 0, &Part::block)); }

std::vector<Layout::Part> Layout::parts(size_t rank) const {
  std::vector<Part> parts = parts_;
  for (size_t dim = 0; is_plain() && dim < rank; ++dim) parts.push_back({dim, 0});
  return parts;
}

std::vector<Layout::Axis> Layout::axes(size_t rank) const {
  std::vector<Part> all = parts(rank);
  std::vector<int64_t> below(rank, 1);
  std::vector<Axis> axes;
  for (size_t i = all.size(); i-- > 0;) {
    axes.push_back({all[i].dim, below[all[i].dim]});
    if (all[i].block > 0) below[all[i].dim] *= all[i].block;
  }
  std::ranges::reverse(axes);
  return axes;
}

Shape Layout::stored(Shape const& shape) const {
  std::vector<Part> all = parts(shape.size());
  std::vector<Axis> at = axes(shape.size());
  Shape extents;
  for (size_t i = 0; i < all.size(); ++i)
    extents.push_back(all[i].block > 0 ? all[i].block
                                       : (shape[all[i].dim] + at[i].step - 1) / at[i].step);
  return extents;
}

std::string Layout::letters() const {
  std::string text;
  for (Part const& part : parts_) {
    if (part.block > 0) text += std::to_string(part.block);
    text += char((part.block > 0 ? 'a' : 'A') + part.dim);
  }
  return text;
}

std::string to_text(Layout const& layout) { return layout.is_plain() ? "plain" : layout.letters(); }

Result<NDArray> to_layout(NDArray const& plain, Layout const& layout) {
  if (layout.is_plain()) return plain;
  if (!layout.fits(plain.shape().size())) return no_fit(layout, plain.shape());
  TRY_ASSIGN(NDArray stored, NDArray::create(plain.type(), layout.stored(plain.shape())));
  with_element(size_of(plain.type()),
               [&](auto element) { store_as<decltype(element)>(plain, layout, stored); });
  return stored;
}

Result<NDArray> from_layout(NDArray const& stored, Layout const& layout, Shape const& shape) {
  if (layout.is_plain()) return stored;
  if (!layout.fits(shape.size()) || layout.stored(shape) != stored.shape())
    return no_fit(layout, shape);
  TRY_ASSIGN(NDArray plain, NDArray::create(stored.type(), shape));
  with_element(size_of(stored.type()),
               [&](auto element) { load_as<decltype(element)>(stored, layout, plain); });
  return plain;
}

}  // namespace tw
