/// How scripts name loops: `block.loop`, the loop's own name where it is unique, or `block.axis`
/// where one loop alone runs over the block's axis, whatever it is called.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// Errors: unknown_loop (with the loops there are), ambiguous_loop (with full names).
Result<ir::LoopSite> find_loop(ir::Program const& program, std::string const& reference);
/// Errors: unknown_block (with the blocks there are).
Result<ir::BlockSite> find_block(ir::Program const& program, std::string const& name);
/// The block that a loop is named after: of those below it the one with most loops around, the
/// first of several. (Loops that a producer or an epilogue shares keep their name.)
std::optional<ir::BlockSite> owner_of(ir::Program const& program, ir::LoopId loop);
/// `block.loop` of the loop's owner.
std::string reference_of(ir::Program const& program, ir::LoopId loop);
/// `wanted`, or with the least number appended that no loop around or below `near` has.
std::string free_name(ir::Program const& program, ir::LoopSite const& near,
                      std::string const& wanted);
/// The loop with this id; it must exist.
ir::LoopSite site_of(ir::Program const& program, ir::LoopId loop);
/// `text` with a whole name replaced by another one: "C.i" is no part of "C.i.0", nor of "BC.i".
std::string with_name(std::string text, std::string const& from, std::string const& to);
bool is_under(ir::BlockSite const& block, ir::LoopId loop);
/// Blocks below a loop.
std::vector<ir::BlockSite> blocks_under(ir::LoopSite const& loop);

}  // namespace tw
