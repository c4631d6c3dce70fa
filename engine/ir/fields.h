/// What the field lists give: dispatch on the kind, and a visit of every field of a node.
#pragma once

#include "engine/ir/stmt.h"

namespace tw::ir {

/// Calls `f` with the node as its own type.
template <typename F>
decltype(auto) dispatch(ExprNode const& node, F&& f) {
  switch (node.kind) {
    case NodeKind::kIntImm:
      return f(static_cast<IntImm const&>(node));
    case NodeKind::kFloatImm:
      return f(static_cast<FloatImm const&>(node));
    case NodeKind::kVariable:
      return f(static_cast<Variable const&>(node));
    case NodeKind::kUnary:
      return f(static_cast<Unary const&>(node));
    case NodeKind::kBinary:
      return f(static_cast<Binary const&>(node));
    case NodeKind::kSelect:
      return f(static_cast<Select const&>(node));
    case NodeKind::kCast:
      return f(static_cast<Cast const&>(node));
    case NodeKind::kLoad:
      return f(static_cast<Load const&>(node));
    case NodeKind::kRamp:
      return f(static_cast<Ramp const&>(node));
    default:
      return f(static_cast<Broadcast const&>(node));
  }
}

template <typename F>
decltype(auto) dispatch(StmtNode const& node, F&& f) {
  switch (node.kind) {
    case NodeKind::kFor:
      return f(static_cast<For const&>(node));
    case NodeKind::kBlock:
      return f(static_cast<Block const&>(node));
    case NodeKind::kStore:
      return f(static_cast<Store const&>(node));
    case NodeKind::kSeq:
      return f(static_cast<Seq const&>(node));
    case NodeKind::kIf:
      return f(static_cast<If const&>(node));
    case NodeKind::kLet:
      return f(static_cast<Let const&>(node));
    case NodeKind::kPrefetch:
      return f(static_cast<Prefetch const&>(node));
    default:
      return f(static_cast<Alloc const&>(node));
  }
}

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
