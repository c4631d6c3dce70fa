/// Giving blocks other tensors to work on.
#pragma once

#include <functional>
#include <optional>

#include "engine/arith/simplify.h"
#include "engine/ir/program.h"

namespace tw {

/// The block with one tensor replaced by another of the same rank, in loads or stores or both.
enum class Side : uint8_t { kReads, kWrites, kBoth };
ir::Stmt with_buffer(ir::Block const& block, std::string const& from, ir::Buffer const& to,
                     Side side);
/// `wanted`, made different from every tensor and block of the program.
std::string free_tensor_name(ir::Program const& program, std::string const& wanted);
/// How much of each dimension some block writes; for parameters all. Padded tensors hold more.
std::vector<ir::Expr> written_shape(ir::Program const& program, ir::BufferNode const& buffer);
/// The values of each dimension that some block writes, as far as those of each can be told from
/// the others': a tensor of which only parts are made has fewer than `written_shape` says. Nothing
/// of a dimension where that is not known, or all are.
std::vector<std::optional<arith::Interval>> written_parts(ir::Program const& program,
                                                          ir::BufferNode const& buffer);
/// A nest that copies what some block writes of a tensor: one loop per dimension, block named after
/// the target.
ir::Stmt copy_nest(ir::Buffer const& from, ir::Buffer const& to, ir::BufferNode const& written,
                   ir::Program& program);
/// The buffer as the program declares it: parameter or allocation.
ir::Buffer find_buffer(ir::Program const& program, std::string const& name);
/// Every load, store and allocation of a tensor rewritten: its node, and how indices change.
ir::Stmt remap_buffer(ir::Stmt const& body, std::string const& name, ir::Buffer const& to,
                      std::function<std::vector<ir::Expr>(std::vector<ir::Expr> const&)> const& at);

}  // namespace tw
