/// What the field lists give: dispatch on the kind, and a visit of every field of a node.
#pragma once

#include <utility>

#include "engine/ir/intrinsic.h"
#include "engine/ir/stmt.h"

namespace tw::ir {

/// Calls `f` with the node as its own type. `f` must take every kind: one that it does not name is
/// an error of the compiler, unless it says what holds for all others (a generic lambda in
/// `overloaded`, a template among overloads).
template <typename F>
decltype(auto) dispatch(ExprNode const& node, F&& f) {
  switch (node.kind) {
#define TW_CASE(NAME)     \
  case ExprKind::k##NAME: \
    return f(static_cast<NAME const&>(node));
    TW_EXPR_NODES(TW_CASE)
#undef TW_CASE
  }
  std::unreachable();
}

template <typename F>
decltype(auto) dispatch(StmtNode const& node, F&& f) {
  switch (node.kind) {
#define TW_CASE(NAME)     \
  case StmtKind::k##NAME: \
    return f(static_cast<NAME const&>(node));
    TW_STMT_NODES(TW_CASE)
#undef TW_CASE
  }
  std::unreachable();
}

/// One callable of several: `dispatch(*s, overloaded{[](For const&) {...}, [](auto const&)
/// {...}})`.
template <typename... F>
struct overloaded : F... {
  using F::operator()...;
};

/// Calls `f(field)` for every field of a node, in the order of its list.
template <typename N, typename F>
void for_each_field(N const& node, F&& f) {
  std::apply([&](auto... member) { (f(node.*member), ...); }, N::fields());
}

/// Calls `f(field of a, field of b)` pairwise.
template <typename N, typename F>
void for_each_field(N const& a, N const& b, F&& f) {
  std::apply([&](auto... member) { (f(a.*member, b.*member), ...); }, N::fields());
}

/// Calls `f(field)` on the fields of a copy under construction.
template <typename N, typename F>
void for_each_field_of_copy(N& node, F&& f) {
  std::apply([&](auto... member) { (f(node.*member), ...); }, N::fields());
}

}  // namespace tw::ir
