/// Nests of one statement: what a call of an instruction may take the place of.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/program.h"
#include "engine/schedule/primitive.h"
#include "engine/schedule/refusal.h"

namespace tw {

/// One block with serial loops of constant extent around it, and nothing else. What it stores is
/// said by the loops and by the iterators of the block that a call would be: one for each part of
/// an iterator that the loops outside of the nest count.
struct SingleBlockNest {
  ir::BlockSite site;  ///< the block, with all loops around
  std::vector<ir::For const*> loops;
  std::vector<ir::IterVar> iters;
  ir::Expr predicate;  ///< over loops outside; null: it always runs
  ir::Buffer buffer;
  std::vector<ir::Expr> indices;
  ir::Expr value;
  arith::Ranges ranges;  ///< of `loops` and `iters`

  bool is_loop(std::string const& name) const;
};

/// Errors: not_one_block, loop_annotated, extent_unknown, call_in_vector_loop, starts_a_sum,
/// guarded_nest, not_one_store, order_matters, parts_do_not_separate, block_is_a_call.
std::expected<SingleBlockNest, Refusal> single_block_nest(StepRequest const& request,
                                                          std::string const& verb);

/// Iterators tell which instances differ, and calls that differ do not meet: where nests of several
/// iterations outside compute some of the same elements, each has a tensor of its own. Errors:
/// calls_would_meet.
std::expected<void, Refusal> instances_stay_apart(StepRequest const& request,
                                                  SingleBlockNest const& nest,
                                                  std::string const& verb);

/// Each iteration of the loop adds the same to the sum.
bool is_even_along(arith::Linear const& sum, std::string const& loop);
/// Which element of the tensor, as stored, it is; null: its strides are not known.
ir::Expr place_of(ir::Load const& element, arith::Ranges const& ranges);
/// How far apart in the tensor, as stored, neighbours along each axis are; 0 where its shape is not
/// known, or its map has steps of different lengths. `ranges`: of what its indices are made of.
std::vector<int64_t> strides_of(ir::Operand const& operand, arith::Ranges const& ranges);
/// Different values of the axes of the operand that the nest writes are different elements: their
/// indices show it, or the block's iterators do. (False: it is not shown.)
bool writes_each_once(SingleBlockNest const& nest, ir::Operand const& operand);
/// `wanted`, or with a number, as no loop around and no iterator of the nest is called. (Wanted
/// like "c._0": no step gives a loop such a name later.)
std::string free_axis_name(SingleBlockNest const& nest, std::string const& wanted);

/// `for i in 4, k in 8: C[i] = ...`
std::string nest_text(SingleBlockNest const& nest);

/// The block that is one call in place of the nest, with its name and its id.
Applied with_call(StepRequest const& request, SingleBlockNest const& nest, ir::Intrinsic intrinsic,
                  std::vector<ir::Operand> operands);

}  // namespace tw
