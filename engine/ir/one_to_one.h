/// Whether a layout gives every element a place of its own.
#pragma once

#include <vector>

#include "engine/ir/handles.h"
#include "engine/support/base/error.h"

namespace tw::ir {

/// Of a tensor of this shape. Decided exactly where all that the map does is moving bits and
/// joining them by ^ (parts by powers of two), whatever the size; else by trying all elements of a
/// tensor that is not too large. Errors: bad_map where it has other dimensions or an index may be
/// negative; not_one_to_one with two elements that share a place; map_undecided.
Status check_one_to_one(IndexMap const& map, std::vector<int64_t> const& shape);

}  // namespace tw::ir
