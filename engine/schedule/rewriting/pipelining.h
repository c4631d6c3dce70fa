/// Loops whose iterations overlap: statements of later stages work on earlier iterations.
#pragma once

#include <expected>
#include <optional>
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

/// Which part of a tensor one iteration of a loop touches: `extent` elements of one dimension that
/// move on by `step` from iteration to iteration, and what it touches of the others each time.
struct MovingPart {
  size_t dimension = 0;
  int64_t step = 1;
  int64_t extent = 1;
};
/// Empty: it is no such part; `stays` tells whether every iteration touches the same elements.
struct Movement {
  std::optional<MovingPart> part;
  bool stays = false;
};
Movement movement_of(ir::Program const& program, Target const& target, ir::LoopSite const& loop,
                     ir::BufferNode const& tensor);

/// The tensor with `modulus` elements in a dimension, used again and again: an index is taken
/// modulo it. Blocks that write it get the iterators of this dimension in order.
ir::Program with_turns(ir::Program program, ir::Buffer const& tensor, size_t dimension,
                       int64_t modulus);

/// Legal when, with every tensor as large as it would have to be for all iterations, each read
/// comes after the writes that it needs, and tensors of the loop have as many instances as are in
/// use at the same time. Codes: stages_do_not_fit, one_statement, holds_a_tensor, same_elements,
/// parts_overlap, and those of `ask_flow`.
std::expected<Proof, Refusal> can_pipeline(Move const& move, Pipelining const& pipelining,
                                           std::string const& verb);
/// Prologue, steady state and epilogue.
Applied pipelined(Move const& move, Pipelining const& pipelining);

}  // namespace tw
