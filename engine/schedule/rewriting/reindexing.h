/// A tensor in the place of another one that the iterators of a block index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"

namespace tw {

/// What a block uses of a tensor in an instance.
struct Reindexed {
  ir::Expr value;                 ///< the element, or a choice between it and a number
  std::vector<size_t> iterators;  ///< that choose it, by their places in the block
  bool always = true;             ///< it is read in each instance, under no further condition
};
/// Nothing: the block reads several elements, or data choose which. `written`: the element that it
/// stores, which is the only one that it may read.
std::optional<Reindexed> reindexed(ir::Block const& block, std::string const& tensor, bool written);

/// The element exists for all values of the block's iterators, whether or not the block runs for
/// them.
bool always_exists(ir::Block const& block, ir::Expr const& use);
/// The block runs for every value of its iterators.
bool runs_whole(ir::BlockSite const& site, ProofBudget budget);

std::string reindexed_name(ir::Program const& program, std::string const& tensor);
/// With a dimension for each of `use.iterators`, in their order.
ir::Buffer reindexed_buffer(ir::Program const& program, ir::Block const& block,
                            ir::BufferNode const& source, Reindexed const& use);
/// The block with the new tensor in the place of what it used.
ir::Stmt with_reindexed(ir::Block const& block, Reindexed const& use, ir::Buffer const& made);
/// Makes the new tensor from what the block used; a block called as the tensor.
ir::Stmt read_nest(ir::Block const& block, Reindexed const& use, ir::Buffer const& made,
                   ir::Program& program);
/// Brings the new tensor to where the block wrote; a block called as that one, with "_write".
ir::Stmt write_nest(ir::Block const& block, Reindexed const& use, ir::Buffer const& made,
                    ir::Buffer const& target, ir::Program& program);

}  // namespace tw
