/// How tensors lie in memory: row-major, with the strides that `storage_align` asks for, but where
/// an index map (index_map.h) says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::ir {

/// Elements from one index of each dimension to its next. None: an extent is no constant, or the
/// tensor has a map.
std::optional<std::vector<int64_t>> strides_of(BufferNode const& buffer);
std::vector<int64_t> strides_of(std::vector<int64_t> const& shape,
                                std::vector<StrideAlignment> const& alignments);

/// The same where extents may be expressions; and how many elements the tensor takes in memory.
struct OpenStrides {
  std::vector<Expr> strides;
  Expr elements;
};
OpenStrides open_strides_of(BufferNode const& buffer);

/// Elements that the tensor takes in memory, what is between its rows included: a double, since
/// checks ask it of shapes that nothing could hold. None: an extent is no constant.
/// Tensors with a map take the shape that the map has in memory.
std::optional<double> elements_in_memory(BufferNode const& buffer);

/// With extents in place of alignments: a tensor whose plain strides are those of this one, for
/// who knows of no alignment. Null: no extent gives such a stride, or the tensor has a map.
Buffer with_padded_shape(Buffer const& buffer);

}  // namespace tw::ir
