/// Sums that threads share, by shuffles between the lanes of warps.
#pragma once

#include <optional>
#include <vector>

#include "engine/lowering/thread_sum.h"
#include "engine/lowering/warp_rows.h"

namespace tw {

/// No memory is needed, but for what several warps add.
class ShuffledSum : ThreadSumParts {
public:
  ShuffledSum(ThreadSum const& shared, Target const& target, FreshNames& fresh);

  /// Whether its threads are known to be lanes side by side (`warp_row`).
  bool applies() const { return row_.has_value(); }
  /// The function's body with the sum's place taken.
  ir::Stmt run(ir::Stmt const& body);

private:
  bool is_shared() const;
  ir::Buffer sum_of_threads() const;
  ir::Expr thread() const;
  ir::Expr warp() const;
  ir::Expr in_warp() const;
  /// An element for each iteration of the loops that a thread runs by itself: what a guard leaves
  /// out has one, too, since all threads of a group shuffle.
  ir::Buffer of_a_thread(char const* name);
  std::vector<ir::Expr> place() const;
  ir::Expr value_of(ir::Buffer const& tensor) const;
  /// Each thread adds its terms, then each warp what its threads have.
  ir::Stmt of_warps();
  /// What warps have, by the first of them; by each, where its threads need the sum.
  ir::Stmt of_block();
  std::vector<ir::Stmt> unset_where_guarded(ir::Buffer const& sum);
  /// Halves of a group add what the other half has, then quarters: at last each lane has all.
  ir::Stmt steps(ir::Buffer const& sum, int64_t lanes);
  ir::Operand one(ir::Buffer const& tensor) const;
  ir::Stmt part_of_warp(ir::Buffer const& sum);
  ir::Stmt result(ir::Buffer const& sum);
  ir::Stmt block(std::string const& name, ir::Expr const& guard, ir::Stmt const& body);
  static bool is_bound(ir::For const& loop);
  static ir::Stmt around(ir::For const& loop, ir::Stmt const& body,
                         std::optional<ir::LoopId> id = {});
  ir::Stmt in_own_loops(ir::Stmt body);
  /// Bound loops of what the sum is of are outside: lanes are counted along the innermost one.
  ir::Stmt nest(ir::Buffer const& sum, std::vector<ir::Stmt> stmts, int64_t threads, ir::LoopId id);

  ir::Buffer sum_;
  ir::Intrinsic shuffle_;
  std::optional<WarpRow> row_;
  ir::Buffer of_thread_, parts_;  // the sum of each thread by itself; what each warp adds
};

}  // namespace tw
