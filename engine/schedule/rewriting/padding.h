/// An axis of a block made longer: what its further instances read, and how they change nothing.
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// A tensor that the block reads, in a copy with room for the further instances.
struct PaddedRead {
  ir::Buffer from;
  ir::Buffer to;
  std::vector<int64_t> limits;  ///< elements from here on hold `value`
  ir::Expr value;
};

/// The copies that let the iterator `axis` run to `extent`: inside of a sum the further terms are
/// its neutral element then, whatever the data are. Nothing where copies do not do it: an element
/// may not be made, an index or a divisor depends on data, a term does not come out as neutral.
std::optional<std::vector<PaddedRead>> padded_reads(ir::Program const& program,
                                                    ir::BlockSite const& site, size_t axis,
                                                    int64_t extent);

/// A nest that fills the copy.
ir::Stmt pad_nest(PaddedRead const& read, ir::Program& program);

/// The block's body where instances from `end` on of an iterator compute nothing: a choice by the
/// iterator, so that they read nothing either.
ir::Stmt guarded_body(ir::Block const& block, ir::IterVar const& axis, int64_t end);

}  // namespace tw
