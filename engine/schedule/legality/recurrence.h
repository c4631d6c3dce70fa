/// Blocks that are computed together, step by step: at each iteration of an ordered loop one after
/// the other, reading what was made at earlier ones.
#pragma once

#include <expected>

#include "engine/schedule/primitive.h"

namespace tw {

/// Loops around the block that are a part of its ordered iterators.
std::vector<ir::For const*> step_loops(ir::BlockSite const& site);
/// Some block reads the tensor at another step than the one that is being computed.
bool read_at_other_steps(ir::Program const& program, std::string const& tensor);

/// A block that other blocks are computed with step by step stays in its step, or leaves the
/// recurrence.
std::expected<void, Refusal> keeps_steps(ir::Program const& program, ir::BlockSite const& block,
                                         std::vector<ir::For const*> const& new_loops,
                                         std::string const& verb);
/// A tensor that is to live in a step holds this step's elements, or what its readers want of
/// earlier steps can be computed again: nothing of a later step, from tensors that are kept.
std::expected<void, Refusal> read_at_its_step(ir::Program const& program,
                                              ir::BlockSite const& block,
                                              std::vector<ir::For const*> const& new_loops,
                                              std::string const& verb);
/// All that `reader` reads of `writer`'s tensor was made at earlier steps; `loops` are inside of
/// the same ones.
bool reads_earlier_steps(ir::BlockSite const& writer, ir::BlockSite const& reader,
                         std::vector<ir::For const*> const& loops);
/// Where the block's tensor is read at other steps, what it is computed from is still there.
std::expected<void, Refusal> inputs_are_kept(ir::Program const& program, ir::BlockSite const& block,
                                             std::string const& verb);

}  // namespace tw
