/// What may be done with the instances of a block, seen by itself (the terms are TensorIR's).
#pragma once

#include <optional>

#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw {

/// "complete block": one store of an element that its spatial and ordered iterators choose, reads
/// nothing that it writes; running an instance twice or later gives the same.
bool is_complete(ir::BlockSite const& site);
/// "reduction block": an associative update of an element that only spatial and ordered iterators
/// choose, by terms that do not read the block's tensor. The init sets the same element, or there
/// is none.
bool is_reduction(ir::BlockSite const& site);
/// Complete, or a reduction that starts its own elements: the block makes its whole tensor alone.
bool makes_tensor(ir::BlockSite const& site);
/// A recurrence along one axis; what it adds up in a step, it starts itself.
bool is_recurrence(ir::BlockSite const& site);
/// Instances of the block write one element by turns: an index is taken modulo the tensor's room,
/// or there is one for all values of an ordered iterator.
bool takes_turns(ir::Block const& block);
/// Running the block's instances again, a whole sum or recurrence at a time, gives the same values.
bool may_run_again(ir::BlockSite const& site);
/// Each instance writes an element of its own once, always the same value: complete, or a
/// recurrence without sums.
bool settles(ir::BlockSite const& site);
/// Some element that the block reads is one that another of its instances makes.
bool reads_itself(ir::Block const& block);
/// A moved nest may cover a part of the iterator's values: all but those of sums, and of
/// recurrences that read themselves.
bool may_be_cut(ir::Block const& block, ir::IterVar const& iter);
/// The loop is a part of a reduce iterator of the block (or of another one).
bool feeds(ir::Block const& block, ir::For const& loop, bool reduce);
/// The iterators' values in the instance that writes an element: as expressions of its indices, put
/// together from digits where a layout took them apart. Empty where they do not show.
std::optional<ir::Substitution> iterators_at(ir::Block const& block,
                                             std::vector<ir::Expr> const& indices);
/// The buffer of the block's only store.
ir::Buffer written_buffer(ir::BlockSite const& site);

}  // namespace tw
