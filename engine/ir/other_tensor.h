/// One node with other tensors: what rewriters that give tensors other shapes have in common.
#pragma once

#include "engine/ir/stmt.h"

namespace tw::ir {

/// A load of what `tensor` gives for its tensor; any other expression is left as it is.
template <typename F>
Expr with_other_tensor(Expr const& e, F const& tensor) {
  auto const* read = e.as<Load>();
  if (!read) return e;
  Buffer from = tensor(read->buffer);
  return from == read->buffer ? e : load(from, read->indices);
}

/// The same of a store and an allocation.
template <typename F>
Stmt with_other_tensor(Stmt const& s, F const& tensor) {
  if (auto const* store = s.as<Store>()) {
    Buffer to = tensor(store->buffer);
    if (to != store->buffer)
      return make_from<Store>(store->origin, to, store->indices, store->value);
  }
  if (auto const* alloc = s.as<Alloc>()) {
    Buffer made = tensor(alloc->buffer);
    if (made != alloc->buffer) return make_from<Alloc>(alloc->origin, made, alloc->body);
  }
  return s;
}

}  // namespace tw::ir
