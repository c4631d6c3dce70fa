/// Walking and rewriting, derived from the nodes' field lists.
#pragma once

#include <functional>
#include <unordered_map>

#include "engine/ir/stmt.h"

namespace tw::ir {

/// Calls `f` on every node below and including the root, parents first. `f` returns false to skip
/// the children of a node.
void walk(Expr const& root, std::function<bool(Expr const&)> const& f);
void walk(Stmt const& root, std::function<bool(Stmt const&)> const& f);
/// Every expression below a statement (extents, conditions, indices, bindings, values).
void walk_exprs(Stmt const& root, std::function<bool(Expr const&)> const& f);

/// Rewrites children first-in-last-out: override `visit` and call `rebuild` for the default. A node
/// whose children did not change is returned as the same pointer.
class Rewriter {
public:
  virtual ~Rewriter() = default;
  virtual Expr visit(Expr const& e) { return rebuild(e); }
  virtual Stmt visit(Stmt const& s) { return rebuild(s); }
  /// The node with its children visited; keeps ids and origins.
  Expr rebuild(Expr const& e);
  Stmt rebuild(Stmt const& s);
};

/// Bottom-up: `f` gets a node whose children are rewritten and returns its replacement, or null to
/// leave it.
Expr rewrite(Expr const& e, std::function<Expr(Expr const&)> const& f);
Stmt rewrite_exprs(Stmt const& s, std::function<Expr(Expr const&)> const& f);
Stmt rewrite_stmts(Stmt const& s, std::function<Stmt(Stmt const&)> const& f);

/// The statement, said to come from `origin`.
Stmt with_origin(Stmt const& s, Origin origin);

/// What a statement does to elements of a tensor: to one, or, of a call, to as many as its
/// operand's axes reach.
struct Touched {
  Buffer const& buffer;
  std::vector<Expr> const& indices;
  std::vector<OperandAxis> const& axes;
};
/// Every write below and including the root: what stores and calls write.
void walk_writes(Stmt const& root, std::function<void(Touched const&)> const& f);
/// Every read, indices of other accesses among them. A call's operand is read where its declaration
/// says so; the element of a hint is not, what its index reads is.
void walk_reads(Stmt const& root, std::function<void(Touched const&)> const& f);
void walk_reads(Expr const& root, std::function<void(Touched const&)> const& f);
/// A call below that everything else keeps its place to.
bool has_barrier(Stmt const& root);

using Substitution = std::unordered_map<std::string, Expr>;
/// Replaces variables by name.
Expr substitute(Expr const& e, Substitution const& by);
Stmt substitute(Stmt const& s, Substitution const& by);
/// Replaces a buffer (by name) in all loads, stores, operands and allocations.
Stmt replace_buffer(Stmt const& s, std::string const& name, Buffer const& by);

/// Structure, types and names agree; ids and origins are ignored.
bool equal(Expr const& a, Expr const& b);
bool equal(Stmt const& a, Stmt const& b);
bool equal(Buffer const& a, Buffer const& b);
bool equal(Intrinsic const& a, Intrinsic const& b);
uint64_t hash(Expr const& e);
uint64_t hash(Stmt const& s);

bool uses_variable(Expr const& e, std::string const& name);
/// The conditions that a condition joins by &&, from left to right; none for null.
std::vector<Expr> conjuncts(Expr const& condition);

}  // namespace tw::ir
