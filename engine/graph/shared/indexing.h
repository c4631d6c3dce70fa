/// Tensors that are read or written at places which another tensor holds.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// An index that counts from the end when it is negative, moved into the axis: a kernel reads no
/// other memory.
ir::Expr safe_index(ir::Expr index, int64_t extent);
/// The same for the reference; an index outside is an error.
Result<int64_t> checked_index(int64_t index, int64_t extent);
/// Integers in [-extent, extent).
NDArray random_indices(Rng& rng, Shape const& shape, int64_t extent);

/// How an update joins the element that it finds: "none", "add", "mul", "min" or "max".
std::string random_join(Rng& rng);
AttributeDoc join_attribute();
/// X with updates at the places of I; `fits`: whether the places and the updates have shapes for
/// it.
InferResult infer_scatter(Infos inputs, bool fits);
/// out[target] joined with the update's element `i`; integers wrap.
void update_element(std::string const& join, NDArray& out, int64_t target, NDArray const& updates,
                    int64_t i);

}  // namespace tw::ops
