#include "engine/ir/strides.h"

#include <algorithm>

#include "engine/ir/index_map.h"
#include "engine/ir/op.h"

namespace tw::ir {
namespace {

StrideAlignment const* of_dimension(std::vector<StrideAlignment> const& alignments,
                                    size_t dimension) {
  auto found = std::ranges::find(alignments, int(dimension), &StrideAlignment::dimension);
  return found == alignments.end() ? nullptr : &*found;
}

/// The least stride of `dimension` that holds `inner` elements and is as `alignments` ask.
int64_t aligned_stride(std::vector<StrideAlignment> const& alignments, size_t dimension,
                       int64_t inner) {
  StrideAlignment const* asked = of_dimension(alignments, dimension);
  if (!asked) return inner;
  int64_t further = (asked->offset - inner) % asked->factor;
  return inner + (further < 0 ? further + asked->factor : further);
}

}  // namespace

std::vector<int64_t> strides_of(std::vector<int64_t> const& shape,
                                std::vector<StrideAlignment> const& alignments) {
  std::vector<int64_t> strides(shape.size());
  int64_t inner = 1;
  for (size_t d = shape.size(); d-- > 0; inner = strides[d] * shape[d])
    strides[d] = aligned_stride(alignments, d, inner);
  return strides;
}

std::optional<std::vector<int64_t>> strides_of(BufferNode const& buffer) {
  auto shape = constant_shape(buffer);
  if (!shape || buffer.map) return std::nullopt;
  return strides_of(*shape, buffer.alignments);
}

OpenStrides open_strides_of(BufferNode const& buffer) {
  OpenStrides result{std::vector<Expr>(buffer.shape.size()), int_imm(1)};
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    Expr stride = result.elements;
    if (StrideAlignment const* asked = of_dimension(buffer.alignments, d))
      stride = stride + floor_mod(int_imm(asked->offset) - stride, int_imm(asked->factor));
    result.strides[d] = stride;
    result.elements = stride * buffer.shape[d];
  }
  return result;
}

std::optional<double> elements_in_memory(BufferNode const& buffer) {
  auto shape = constant_shape(buffer);
  if (shape && buffer.map) shape = mapped_shape(*buffer.map, *shape);
  if (!shape) return std::nullopt;
  double elements = 1;
  for (size_t d = shape->size(); d-- > 0;) {
    if (elements < 0x1p52)
      elements = double(aligned_stride(buffer.alignments, d, int64_t(elements)));
    elements *= double((*shape)[d]);
  }
  return elements;
}

Buffer with_padded_shape(Buffer const& buffer) {
  if (buffer->map) return nullptr;
  if (buffer->alignments.empty()) return buffer;
  auto strides = strides_of(*buffer);
  if (!strides || strides->back() != 1) return nullptr;
  BufferNode node = *buffer;
  node.alignments.clear();
  for (size_t d = 1; d < strides->size(); ++d) {
    if ((*strides)[d] == 0 || (*strides)[d - 1] % (*strides)[d] != 0) return nullptr;
    node.shape[d] = int_imm((*strides)[d - 1] / (*strides)[d]);
  }
  return std::make_shared<BufferNode const>(std::move(node));
}

}  // namespace tw::ir
