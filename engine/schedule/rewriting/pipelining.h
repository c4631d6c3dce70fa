/// Loops whose iterations overlap: statements of later stages work on earlier iterations.
#pragma once

#include <string>
#include <vector>

#include "engine/schedule/primitive.h"

namespace tw {

/// The statements of a loop's body, and the tensors that are allocated around all of them.
struct LoopParts {
  std::vector<ir::Buffer> tensors;
  std::vector<ir::Stmt> statements;
};
LoopParts parts_of(ir::For const& loop);

/// One number for each statement of the loop's body.
struct Pipelining {
  ir::LoopSite loop;
  std::vector<int64_t> stages;  ///< how many iterations later it runs
  std::vector<int64_t> order;   ///< its place in the new body
};

/// How many instances are in use at the same time of a tensor that each iteration has for itself.
int64_t instances_of(Pipelining const& pipelining, LoopParts const& parts,
                     std::string const& tensor);

/// The tensor with `modulus` elements in a dimension, used again and again: an index is taken
/// modulo it. Blocks that write it get the iterators of this dimension in order.
ir::Program with_turns(ir::Program program, ir::Buffer const& tensor, size_t dimension,
                       int64_t modulus);

/// The pipeline as one loop with guards, and every tensor as large as it is declared: what is asked
/// about the order of reads and writes.
ir::Program guarded_form(StepRequest const& request, Pipelining const& pipelining);
/// Prologue, steady state and epilogue.
Applied pipelined(StepRequest const& request, Pipelining const& pipelining);

}  // namespace tw
