#include <bit>
#include <cmath>

#include "engine/ir/fields.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/support/base/hash.h"

namespace tw::ir {
namespace {

struct Same {
  bool value = true;
  void operator()(Expr const& a, Expr const& b) {
    value = value && (a.same_as(b) || (bool(a) && bool(b) && equal(a, b)));
  }
  void operator()(Stmt const& a, Stmt const& b) {
    value = value && (a.same_as(b) || (bool(a) && bool(b) && equal(a, b)));
  }
  void operator()(Buffer const& a, Buffer const& b) { value = value && equal(a, b); }
  void operator()(IterVar const& a, IterVar const& b) {
    value = value && a.kind == b.kind && a.role == b.role;
    (*this)(a.var, b.var);
    (*this)(a.extent, b.extent);
    (*this)(a.binding, b.binding);
  }
  void operator()(SizeParam const& a, SizeParam const& b) {
    value = value && a.low == b.low && a.high == b.high;
    (*this)(a.var, b.var);
  }
  void operator()(Function const& a, Function const& b) {
    value = value && a.name == b.name;
    (*this)(a.params, b.params);
    (*this)(a.sizes, b.sizes);
    (*this)(a.body, b.body);
  }
  /// Bit by bit, so that NaN equals itself and -0.0 differs from 0.0.
  void operator()(double a, double b) {
    value = value && std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
  }
  template <typename T>
  void operator()(std::vector<T> const& a, std::vector<T> const& b) {
    value = value && a.size() == b.size();
    for (size_t i = 0; value && i < a.size(); ++i) (*this)(a[i], b[i]);
  }
  template <typename T>
  void operator()(T const& a, T const& b) {
    value = value && a == b;
  }
};

struct Digest {
  Hasher hasher;
  void operator()(Expr const& e) { hasher.number(e ? hash(e) : 0); }
  void operator()(Stmt const& s) { hasher.number(s ? hash(s) : 0); }
  void operator()(Buffer const& b) {
    hasher.text(b->name).number(uint64_t(b->type)).text(b->scope);
    (*this)(b->shape);
  }
  void operator()(IterVar const& i) {
    hasher.number(uint64_t(i.kind)).text(i.role);
    (*this)(i.var);
    (*this)(i.extent);
    (*this)(i.binding);
  }
  void operator()(std::string const& s) { hasher.text(s); }
  void operator()(double v) { hasher.number(std::bit_cast<uint64_t>(v)); }
  template <typename T>
  void operator()(std::vector<T> const& list) {
    hasher.number(list.size());
    for (T const& item : list) (*this)(item);
  }
  template <typename T>
  void operator()(T const& v) {
    hasher.number(uint64_t(v));
  }
};

}  // namespace

bool equal(Buffer const& a, Buffer const& b) {
  if (a == b) return true;
  Same same;
  same(a->shape, b->shape);
  return same.value && a->name == b->name && a->type == b->type && a->scope == b->scope;
}

bool equal(Expr const& a, Expr const& b) {
  if (a.same_as(b)) return true;
  if (a->kind != b->kind || a.type() != b.type() || a.lanes() != b.lanes()) return false;
  Same same;
  dispatch(*a, [&](auto const& node) {
    for_each_field(node, static_cast<std::decay_t<decltype(node)> const&>(*b), same);
  });
  return same.value;
}

bool equal(Stmt const& a, Stmt const& b) {
  if (a.same_as(b)) return true;
  if (a->kind != b->kind) return false;
  Same same;
  dispatch(*a, [&](auto const& node) {
    for_each_field(node, static_cast<std::decay_t<decltype(node)> const&>(*b), same);
  });
  return same.value;
}

uint64_t hash(Expr const& e) {
  Digest digest;
  digest.hasher.number(uint64_t(e->kind)).number(uint64_t(e.type())).number(uint64_t(e.lanes()));
  dispatch(*e, [&](auto const& node) { for_each_field(node, digest); });
  return digest.hasher.finish();
}

uint64_t hash(Stmt const& s) {
  Digest digest;
  digest.hasher.number(uint64_t(s->kind));
  dispatch(*s, [&](auto const& node) { for_each_field(node, digest); });
  return digest.hasher.finish();
}

bool equal(Program const& a, Program const& b) {
  Same same;
  same(a.inputs, b.inputs);
  same(a.outputs, b.outputs);
  same(a.sizes, b.sizes);
  return same.value && a.name == b.name && equal(a.body, b.body);
}

bool equal(KernelIr const& a, KernelIr const& b) {
  Same same;
  same(std::vector{a.host}, std::vector{b.host});
  same(a.device, b.device);
  return same.value;
}

uint64_t hash(Program const& program) {
  Digest digest;
  digest(program.name);
  digest(program.inputs);
  digest(program.outputs);
  for (SizeParam const& size : program.sizes) {
    digest(size.var);
    digest.hasher.number(uint64_t(size.low)).number(uint64_t(size.high));
  }
  digest(program.body);
  return digest.hasher.finish();
}

}  // namespace tw::ir
