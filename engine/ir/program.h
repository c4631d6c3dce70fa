/// A loop program: what schedule steps rewrite. And kernel IR: what lowering makes of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/ir/handles.h"
#include "engine/support/base/error.h"

namespace tw::ir {

/// A size known only when the kernel is called, with the range it was declared for.
struct SizeParam {
  Expr var;
  int64_t low = 1;
  int64_t high = 1;
};

/// Immutable by convention: steps return a new one that shares the unchanged parts.
struct Program {
  std::string name;
  std::vector<Buffer> inputs;
  std::vector<Buffer> outputs;
  std::vector<SizeParam> sizes;
  Stmt body;
  int32_t next_id = 0;  ///< the next free loop or block id; not part of equality

  LoopId fresh_loop() { return {next_id++}; }
  BlockId fresh_block() { return {next_id++}; }
};
bool equal(Program const& a, Program const& b);
uint64_t hash(Program const& program);

/// A function of kernel IR: buffers are flat, blocks are gone.
struct Function {
  std::string name;
  std::vector<Buffer> params;  ///< inputs, then outputs
  std::vector<SizeParam> sizes;
  Stmt body;
};

/// What a lowering pass rewrites: one host function and n device functions
/// (none where the host computes itself).
struct KernelIr {
  Function host;
  std::vector<Function> device;
};
bool equal(Function const& a, Function const& b);
bool equal(KernelIr const& a, KernelIr const& b);

/// The kernel with every one of its functions, the host's and the devices', as `f` makes it new.
/// The first error is the result.
Result<KernelIr> rewrite_functions(KernelIr const& kernel,
                                   std::function<Result<Function>(Function const&)> const& f);
/// The same where only bodies change.
KernelIr rewrite_bodies(KernelIr const& kernel, std::function<Stmt(Stmt const&)> const& f);
/// Calls `f` for every function, the host's first.
void for_each_function(KernelIr const& kernel, std::function<void(Function const&)> const& f);

/// Every condition that a program must meet; the first one broken is the error (`invalid_program`):
/// names bound once per scope, buffers known, ranks agree, extents positive, block iterators bound
/// by expressions of surrounding loops, init only beside reduce iterators.
Status verify(Program const& program);

// ---- questions about loops and blocks -----------------------------------------------------

/// A loop or block with the loops around it, outermost first.
struct LoopSite {
  For const* loop;
  std::vector<For const*> around;
};
struct BlockSite {
  Block const* block;
  std::vector<For const*> loops;
};
/// All loops in program order (parents before children).
std::vector<LoopSite> loops_of(Stmt const& body);
std::vector<BlockSite> blocks_of(Stmt const& body);
/// Replaces the loop with this id by `by` (null removes nothing: it must exist).
Stmt replace_loop(Stmt const& body, LoopId id, Stmt const& by);
Stmt replace_block(Stmt const& body, BlockId id, Stmt const& by);

/// How a reduction block combines: its body is `T = T op value` for every buffer that it writes.
struct ReductionInfo {
  BinaryOp op;
  Expr value;
  Store const* store;
};
/// Recognizes sum, prod, max and min updates in a block body with one store; empty if it is none.
std::optional<ReductionInfo> reduction_of(Block const& block);

}  // namespace tw::ir
