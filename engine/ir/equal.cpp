#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/ir/fields.h"
#include "engine/ir/index_map.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/support/base/hash.h"

namespace tw::ir {
namespace {

#define TW_ONE(NAME) +1
constexpr uint64_t kExprKinds = 0 TW_EXPR_NODES(TW_ONE);
#undef TW_ONE

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
  void operator()(Operand const& a, Operand const& b) {
    (*this)(a.value, b.value);
    (*this)(a.axes, b.axes);
  }
  void operator()(OperandAxis const& a, OperandAxis const& b) {
    (*this)(a.var, b.var);
    (*this)(a.extent, b.extent);
  }
  void operator()(Intrinsic const& a, Intrinsic const& b) { value = value && equal(a, b); }
  void operator()(IntrinsicParam const& a, IntrinsicParam const& b) {
    value = value && a.kind == b.kind && bool(a.buffer) == bool(b.buffer);
    (*this)(a.var, b.var);
    if (value && a.buffer) (*this)(a.buffer, b.buffer);
  }
  void operator()(RegisterValue const& a, RegisterValue const& b) {
    value = value && a.name == b.name;
    (*this)(a.value, b.value);
  }
  void operator()(SizeParam const& a, SizeParam const& b) {
    value = value && a.low == b.low && a.high == b.high;
    (*this)(a.var, b.var);
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
    for (StrideAlignment const& one : b->alignments)
      hasher.number(uint64_t(one.dimension))
          .number(uint64_t(one.factor))
          .number(uint64_t(one.offset));
    if (!b->map) return;
    (*this)(b->map->from);
    (*this)(b->map->to);
  }
  void operator()(IterVar const& i) {
    hasher.number(uint64_t(i.kind)).text(i.role);
    (*this)(i.var);
    (*this)(i.extent);
    (*this)(i.binding);
  }
  void operator()(Operand const& operand) {
    (*this)(operand.value);
    (*this)(operand.axes);
  }
  void operator()(OperandAxis const& axis) {
    (*this)(axis.var);
    (*this)(axis.extent);
  }
  void operator()(Intrinsic const& intrinsic) {
    hasher.text(intrinsic->name).number(intrinsic->barrier);
    hasher.number(uint64_t(intrinsic->completion)).text(intrinsic->queue);
    (*this)(intrinsic->params);
    (*this)(intrinsic->needs);
    (*this)(intrinsic->sets);
    hasher.text(intrinsic->function);
    (*this)(intrinsic->behaviour);
  }
  void operator()(RegisterValue const& one) {
    hasher.text(one.name);
    (*this)(one.value);
  }
  void operator()(IntrinsicParam const& param) {
    hasher.number(uint64_t(param.kind)).text(param.name());
    if (param.buffer) (*this)(param.buffer);
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
  return same.value && a->name == b->name && a->type == b->type && a->scope == b->scope &&
         a->alignments == b->alignments && bool(a->map) == bool(b->map) &&
         (a->map == b->map || equal(*a->map, *b->map));
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
  if (a->kind != b->kind || a->origin.annotations != b->origin.annotations) return false;
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
  // Statements are numbered on from the expressions: a hash never takes one for the other.
  digest.hasher.number(kExprKinds + uint64_t(s->kind));
  for (Annotation const& one : s->origin.annotations)
    digest.hasher.text(one.word).number(uint64_t(one.value));
  dispatch(*s, [&](auto const& node) { for_each_field(node, digest); });
  return digest.hasher.finish();
}

bool equal(Intrinsic const& a, Intrinsic const& b) {
  if (a == b) return true;
  Same same;
  same(a->params, b->params);
  same(a->needs, b->needs);
  same(a->sets, b->sets);
  same(a->behaviour, b->behaviour);
  return same.value && a->name == b->name && a->barrier == b->barrier &&
         a->completion == b->completion && a->queue == b->queue && a->function == b->function;
}

bool equal(Program const& a, Program const& b) {
  Same same;
  same(a.inputs, b.inputs);
  same(a.outputs, b.outputs);
  same(a.sizes, b.sizes);
  return same.value && a.name == b.name && equal(a.body, b.body);
}

bool equal(Function const& a, Function const& b) {
  Same same;
  same(a.params, b.params);
  same(a.sizes, b.sizes);
  same(a.body, b.body);
  return same.value && a.name == b.name;
}

bool equal(KernelIr const& a, KernelIr const& b) {
  return equal(a.host, b.host) &&
         std::ranges::equal(a.device, b.device,
                            [](Function const& x, Function const& y) { return equal(x, y); });
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
