/// Who reads and writes a tensor, and where it lives.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "engine/schedule/names.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// All blocks that read (or write) a tensor; prefetching is no reading.
std::vector<ir::BlockSite> readers_of(ir::Program const& program, std::string const& buffer);
std::vector<ir::BlockSite> writers_of(ir::Program const& program, std::string const& buffer);
/// Loops from the root to the place, the place included.
std::vector<ir::For const*> place_loops(ir::LoopSite const& place);
/// Loops that stand around both.
size_t shared_loops(std::vector<ir::For const*> const& a, std::vector<ir::For const*> const& b);
/// A parameter, or allocated outside of all loops.
bool lives_at_top(ir::Program const& program, std::string const& buffer);
/// Its allocation stands somewhere in the statement.
bool is_allocated_in(ir::Stmt const& s, std::string const& tensor);
bool is_parameter(ir::Program const& program, std::string const& buffer);
/// The tensors that a block reads.
std::vector<std::string> read_buffers(ir::Block const& block);

/// No call touches the tensor: an instruction was matched to how its elements lie. (Asked of the
/// program with its calls.)
std::expected<void, Refusal> used_by_no_call(ir::Program const& program, std::string const& tensor,
                                             std::string const& verb);

/// A refusal that names blocks instead of loops.
std::unexpected<Refusal> refuse_stage(std::string code, std::string message, std::string condition);

}  // namespace tw
