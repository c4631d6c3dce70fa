/// Nodes of programs: immutable, shared by count, compared by their fields.
///
/// A node type lists its fields once (`fields()`); visiting, rewriting, equality and hashing come
/// from that list (fields.h). A node is made by `make` and never changed afterwards. The kinds of
/// expressions and of statements are two lists (expr.h, stmt.h); whoever tells kinds apart does it
/// by `dispatch` or by a `switch` without a default, so that a new kind is an error of the compiler
/// wherever it is not handled.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/support/base/error.h"

namespace tw::ir {

class Node {
public:
  Node() = default;
  Node(Node const&) {}  // a copy starts with no owner
  Node& operator=(Node const&) = delete;
  virtual ~Node() = default;

private:
  template <typename T>
  friend class Ref;
  mutable std::atomic<int32_t> references_{0};
};

/// A shared pointer to a constant node; null means "absent".
template <typename T>
class Ref {
public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T const* node) : node_(node) { retain(); }
  Ref(Ref const& other) : node_(other.node_) { retain(); }
  Ref(Ref&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Ref() { release(); }

  T const* get() const { return node_; }
  T const* operator->() const { return node_; }
  T const& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  /// Pointer identity: "nothing was rewritten". Use `equal` for structure.
  bool same_as(Ref const& other) const { return node_ == other.node_; }

  /// The node as an `N`, or null when it is of another kind.
  template <typename N>
  N const* as() const {
    return node_ && node_->kind == N::kKind ? static_cast<N const*>(node_) : nullptr;
  }
  /// The node, which must be an `N`.
  template <typename N>
  N const& to() const {
    TW_ASSERT(node_ && node_->kind == N::kKind, "the node is of the kind asked for");
    return static_cast<N const&>(*node_);
  }

private:
  void retain() const {
    if (node_) node_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() const {
    if (node_ && node_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }
  T const* node_ = nullptr;
};

}  // namespace tw::ir
