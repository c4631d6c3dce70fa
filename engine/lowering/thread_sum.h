/// Sums that threads share, as `factor_thread_sums` takes them apart: a part for each thread, and
/// the sum of the parts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"
#include "engine/target/target.h"

namespace tw {

/// A sum with a reduction loop that is bound to threads.
struct ThreadSum {
  ir::BlockSite site;
  size_t first = 0;                ///< of the site's loops, the outermost one of the sum
  ir::For const* bound = nullptr;  ///< the outermost one that is bound
};

/// Whether an iterator of that kind is bound by the loop.
bool is_part(ir::Block const& block, ir::For const& loop, bool reduce);

/// Names and ids that nothing in the kernel has.
class FreshNames {
public:
  explicit FreshNames(ir::Function const& function);
  std::string tensor(std::string const& wanted);
  ir::LoopId loop() { return {id_++}; }
  ir::BlockId block() { return {id_++}; }

private:
  std::set<std::string> names_;
  decltype(ir::LoopId::value) id_ = 1;
};

/// What all ways to take a sum apart have.
class ThreadSumParts {
public:
  ThreadSumParts(ThreadSum const& shared, Target const& target, FreshNames& fresh);

protected:
  static ir::Stmt of_its_own(ir::For const& loop);
  /// In the place of the sum, with what it needs.
  ir::Stmt put(ir::Stmt const& body, std::vector<ir::Stmt> stmts) const;
  /// What follows each other is one launch: without a loop of blocks around there is one block.
  ir::Stmt in_a_launch(ir::Stmt const& s) const;
  /// Around the sum; null: none.
  ir::For const* bound_around() const;
  /// A term that a guard leaves out is one that changes nothing: each part must be set.
  void split_guard();
  static ir::Expr both(ir::Expr const& a, ir::Expr const& b);
  /// Of so many parts of each element, in the memory of a block.
  ir::Buffer tensor(int64_t count);
  /// Threads side by side have their parts side by side: no two of them want one bank.
  bool parts_last() const;
  std::vector<ir::Expr> element(ir::Expr const& part) const;
  ir::Expr nothing() const;
  std::vector<ir::IterVar> spatial_iters() const;
  /// What one of `threads` adds, the value `own` of the bound loop, goes to `at` of `parts`, of the
  /// terms that are `chosen`.
  ir::Stmt partial(ir::Buffer const& parts, std::vector<ir::Expr> const& at, ir::Expr const& own,
                   int64_t threads, ir::Expr const& chosen, ir::Expr const& guard);
  ir::Expr own() const;

  ThreadSum const& shared_;
  ir::Block const& block_;
  ir::ReductionInfo const info_;
  Target const& target_;
  FreshNames& fresh_;
  std::vector<ir::For const*> spatial_;  // inside of the sum's outermost loop
  ir::Expr guard_, chosen_;              // of the block: without loops of the sum, and with them
  std::vector<ir::Buffer> tensors_;
};

}  // namespace tw
