/// What rules ask of one stage of a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

/// What the loops around a stage are for, where each is an iterator by itself.
struct StageLoops {
  std::vector<std::string> spatial, reduce;  ///< outermost first; sums innermost
  int64_t elements = 1, terms = 1;           ///< iterations of each kind together
};

/// Nothing: a stage of another form, or of extents that are not known.
std::optional<StageLoops> stage_loops(ir::BlockSite const& site);

/// Terms side by side are elements side by side of all that the sum reads of them.
bool sums_along_rows(ir::Block const& block);
/// Terms side by side are never elements side by side: results may be.
bool sums_along_columns(ir::Block const& block);

/// The reads that a sum multiplies, converted or not: two, or none where its terms are no such
/// products.
std::vector<ir::Load const*> multiplied_reads(ir::Block const& block);

/// The stage sums up nothing, and reads the tensor where it writes.
bool reads_where_it_writes(ir::Block const& block, std::string const& tensor);

}  // namespace tw::gpu
