/// Layouts as maps from a tensor's indices to those in memory, row-major there: of
/// "i, j -> i, (j // 8 ^ i % 8) * 8 + j % 8" pieces of 8 elements stand at other places in each
/// row, so that those of one column are in different banks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/parse_expr.h"

namespace tw::ir {

/// Reads "i, j -> i, j ^ 1" to where no expression goes on. Errors: bad_map.
Result<std::shared_ptr<IndexMap const>> parse_index_map(LineReader& reader);
Result<std::shared_ptr<IndexMap const>> parse_index_map(std::string_view text);
std::string to_text(IndexMap const& map);
bool equal(IndexMap const& a, IndexMap const& b);

/// The indices in memory of an element.
std::vector<Expr> mapped_indices(IndexMap const& map, std::vector<Expr> const& indices);

/// The extents in memory of a tensor of this shape: each index runs from 0 to the most that it can
/// be, by the ranges of what it is made of. None: one may be negative or too large, or divides by
/// what is no constant from 1 on. `shape` has as many extents as the map has variables.
std::optional<std::vector<int64_t>> mapped_shape(IndexMap const& map,
                                                 std::vector<int64_t> const& shape);

}  // namespace tw::ir
