#include "engine/ir/rewrite.h"

#include "engine/ir/fields.h"

namespace tw::ir {
namespace {

/// Finds the children among a node's fields: expressions, statements, lists of them, iterators.
template <typename OnExpr, typename OnStmt>
struct Children {
  OnExpr on_expr;
  OnStmt on_stmt;
  void operator()(Expr const& e) const {
    if (e) on_expr(e);
  }
  void operator()(Stmt const& s) const {
    if (s) on_stmt(s);
  }
  void operator()(std::vector<Expr> const& list) const {
    for (auto const& e : list) (*this)(e);
  }
  void operator()(std::vector<Stmt> const& list) const {
    for (auto const& s : list) (*this)(s);
  }
  void operator()(std::vector<IterVar> const& list) const {
    for (auto const& iter : list) {
      (*this)(iter.extent);
      (*this)(iter.binding);
    }
  }
  void operator()(std::vector<Operand> const& list) const {
    for (auto const& operand : list) {
      for (auto const& axis : operand.axes) (*this)(axis.extent);
      (*this)(operand.value);
    }
  }
  template <typename T>
  void operator()(T const&) const {}
};
template <typename E, typename S>
Children(E, S) -> Children<E, S>;

/// Replaces children in a copied node and notes whether any changed.
struct Replace {
  Rewriter& by;
  bool changed = false;

  void operator()(Expr& e) {
    if (e) assign(e, by.visit(e));
  }
  void operator()(Stmt& s) {
    if (s) assign(s, by.visit(s));
  }
  void operator()(std::vector<Expr>& list) {
    for (auto& e : list) (*this)(e);
  }
  void operator()(std::vector<Stmt>& list) {
    for (auto& s : list) (*this)(s);
  }
  void operator()(std::vector<IterVar>& list) {
    for (auto& iter : list) {
      (*this)(iter.extent);
      (*this)(iter.binding);
    }
  }
  void operator()(std::vector<Operand>& list) {
    for (auto& operand : list) {
      for (auto& axis : operand.axes) (*this)(axis.extent);
      (*this)(operand.value);
    }
  }
  template <typename T>
  void operator()(T&) {}

private:
  template <typename H>
  void assign(H& handle, H next) {
    if (next.same_as(handle)) return;
    handle = std::move(next);
    changed = true;
  }
};

/// Fixes what a node derives from its children.
template <typename N>
void refresh(N&) {}
void refresh(Unary& n) {
  n.lanes = n.a.lanes();
  n.type = n.a.type();
}
void refresh(Cast& n) { n.lanes = n.a.lanes(); }
void refresh(Load& n) { n.lanes = Load::lanes_of(n.indices); }

template <typename N>
Expr finish(N* copy) {
  refresh(*copy);
  return Expr(copy);
}
/// Lanes may differ after a rewrite: make the operands agree again.
Expr finish(Binary* copy) {
  Expr owner(copy);
  return binary(copy->op, copy->a, copy->b);
}
Expr finish(Select* copy) {
  Expr owner(copy);
  int lanes = std::max({copy->condition.lanes(), copy->a.lanes(), copy->b.lanes()});
  auto widen = [&](Expr const& e) {
    return e.lanes() < lanes && e.lanes() == 1 ? make<Broadcast>(e, lanes) : e;
  };
  return make<Select>(
      lanes > 1 && copy->condition.lanes() > 1 ? widen(copy->condition) : copy->condition,
      widen(copy->a), widen(copy->b));
}

struct FunctionRewriter : Rewriter {
  using Rewriter::visit;
  std::function<Expr(Expr const&)> on_expr;
  std::function<Stmt(Stmt const&)> on_stmt;
  Expr visit(Expr const& e) override {
    if (!on_expr) return e;  // statements only
    Expr next = rebuild(e);
    Expr by = on_expr(next);
    return by ? by : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    if (!on_stmt) return next;
    Stmt by = on_stmt(next);
    return by ? by : next;
  }
};

}  // namespace

void walk(Expr const& root, std::function<bool(Expr const&)> const& f) {
  if (!f(root)) return;
  dispatch(*root, [&](auto const& node) {
    for_each_field(node, Children{[&](Expr const& e) { walk(e, f); }, [](Stmt const&) {}});
  });
}

void walk(Stmt const& root, std::function<bool(Stmt const&)> const& f) {
  if (!f(root)) return;
  dispatch(*root, [&](auto const& node) {
    for_each_field(node, Children{[](Expr const&) {}, [&](Stmt const& s) { walk(s, f); }});
  });
}

void walk_exprs(Stmt const& root, std::function<bool(Expr const&)> const& f) {
  dispatch(*root, [&](auto const& node) {
    for_each_field(node, Children{[&](Expr const& e) { walk(e, f); },
                                  [&](Stmt const& s) { walk_exprs(s, f); }});
  });
}

Expr Rewriter::rebuild(Expr const& e) {
  return dispatch(*e, [&](auto const& node) {
    using N = std::decay_t<decltype(node)>;
    N* copy = new N(node);
    Expr owner(copy);
    Replace replace{*this};
    for_each_field_of_copy(*copy, replace);
    return replace.changed ? finish(copy) : e;
  });
}

Stmt Rewriter::rebuild(Stmt const& s) {
  return dispatch(*s, [&](auto const& node) {
    using N = std::decay_t<decltype(node)>;
    N* copy = new N(node);
    Stmt owner(copy);
    Replace replace{*this};
    for_each_field_of_copy(*copy, replace);
    return replace.changed ? owner : s;
  });
}

Stmt with_origin(Stmt const& s, Origin origin) {
  return dispatch(*s, [&](auto const& node) {
    auto* copy = new std::decay_t<decltype(node)>(node);
    copy->origin = std::move(origin);
    return Stmt(copy);
  });
}

Expr rewrite(Expr const& e, std::function<Expr(Expr const&)> const& f) {
  FunctionRewriter rewriter;
  rewriter.on_expr = f;
  return rewriter.visit(e);
}
Stmt rewrite_exprs(Stmt const& s, std::function<Expr(Expr const&)> const& f) {
  FunctionRewriter rewriter;
  rewriter.on_expr = f;
  return rewriter.visit(s);
}
Stmt rewrite_stmts(Stmt const& s, std::function<Stmt(Stmt const&)> const& f) {
  FunctionRewriter rewriter;
  rewriter.on_stmt = f;
  return rewriter.visit(s);
}

namespace {
Expr replaced(Expr const& e, Substitution const& by) {
  auto const* variable = e.as<Variable>();
  if (!variable) return nullptr;
  auto found = by.find(variable->name);
  return found == by.end() ? Expr() : found->second;
}
}  // namespace

Expr substitute(Expr const& e, Substitution const& by) {
  return rewrite(e, [&](Expr const& x) { return replaced(x, by); });
}

Stmt substitute(Stmt const& s, Substitution const& by) {
  // A loop's own variable is a field of the loop; only uses are replaced, so a name in `by` must
  // not be bound below `s` (names are bound once per scope).
  struct Substituter : Rewriter {
    Substitution const* by;
    Expr visit(Expr const& e) override {
      Expr next = rebuild(e);
      Expr found = replaced(next, *by);
      return found ? found : next;
    }
    Stmt visit(Stmt const& s) override { return rebuild(s); }
  } substituter;
  substituter.by = &by;
  return substituter.visit(s);
}

Stmt replace_buffer(Stmt const& s, std::string const& name, Buffer const& by) {
  struct BufferReplacer : Rewriter {
    std::string const* name;
    Buffer const* by;
    Expr visit(Expr const& e) override {
      Expr next = rebuild(e);
      auto const* node = next.as<Load>();
      return node && node->buffer->name == *name ? load(*by, node->indices) : next;
    }
    Stmt visit(Stmt const& s) override {
      Stmt next = rebuild(s);
      if (auto const* store = next.as<Store>(); store && store->buffer->name == *name)
        return make_from<Store>(store->origin, *by, store->indices, store->value);
      if (auto const* alloc = next.as<Alloc>(); alloc && alloc->buffer->name == *name)
        return make_from<Alloc>(alloc->origin, *by, alloc->body);
      return next;
    }
  } replacer;
  replacer.name = &name;
  replacer.by = &by;
  return replacer.visit(s);
}

bool uses_variable(Expr const& e, std::string const& name) {
  bool found = false;
  walk(e, [&](Expr const& x) {
    if (auto const* variable = x.as<Variable>()) found |= variable->name == name;
    return !found;
  });
  return found;
}

std::vector<Expr> conjuncts(Expr const& condition) {
  std::vector<Expr> open{condition}, parts;
  while (!open.empty()) {
    Expr e = open.back();
    open.pop_back();
    auto const* node = e.as<Binary>();
    if (node && node->op == BinaryOp::kAnd) {
      open.push_back(node->b);
      open.push_back(node->a);
    } else if (e) {
      parts.push_back(e);
    }
  }
  return parts;
}

}  // namespace tw::ir
