// What statements read and write.
#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

using OnTouched = std::function<void(Touched const&)>;
std::vector<OperandAxis> const kNoAxes;

/// Loads below an expression, those in indices among them.
void reads_in(Expr const& root, std::vector<OperandAxis> const& axes, OnTouched const& f) {
  walk(root, [&](Expr const& e) {
    if (auto const* read = e.as<Load>()) f({read->buffer, read->indices, axes});
    return true;
  });
}

/// An element that is named, not read: its indices may read.
void reads_in_indices(Expr const& element, std::vector<OperandAxis> const& axes,
                      OnTouched const& f) {
  for (Expr const& index : element.to<Load>().indices) reads_in(index, axes, f);
}

void own_reads(Prefetch const& hint, OnTouched const& f) {
  if (hint.element.as<Load>()) reads_in_indices(hint.element, kNoAxes, f);
}

void own_reads(IntrinsicCall const& call, OnTouched const& f) {
  for (size_t i = 0; i < call.operands.size(); ++i) {
    Operand const& operand = call.operands[i];
    IntrinsicParam const& param = call.intrinsic->params[i];
    for (OperandAxis const& axis : operand.axes) reads_in(axis.extent, kNoAxes, f);
    if (param.buffer && !param.reads())
      reads_in_indices(operand.value, operand.axes, f);
    else
      reads_in(operand.value, operand.axes, f);
  }
}

/// Of every other statement: all that its expressions load.
template <typename N>
void own_reads(N const& node, OnTouched const& f) {
  auto one = overloaded{
      [&](Expr const& e) {
        if (e) reads_in(e, kNoAxes, f);
      },
      [&](std::vector<Expr> const& list) {
        for (Expr const& e : list) reads_in(e, kNoAxes, f);
      },
      [&](std::vector<IterVar> const& list) {
        for (IterVar const& iter : list) {
          reads_in(iter.extent, kNoAxes, f);
          reads_in(iter.binding, kNoAxes, f);
        }
      },
      [](auto const&) {},
  };
  for_each_field(node, one);
}

}  // namespace

void walk_writes(Stmt const& root, OnTouched const& f) {
  walk(root, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) f({store->buffer, store->indices, kNoAxes});
    if (auto const* call = s.as<IntrinsicCall>())
      for (size_t i = 0; i < call->operands.size(); ++i)
        if (call->intrinsic->params[i].writes()) {
          auto const& element = call->operands[i].value.to<Load>();
          f({element.buffer, element.indices, call->operands[i].axes});
        }
    return true;
  });
}

void walk_reads(Expr const& root, OnTouched const& f) { reads_in(root, kNoAxes, f); }

void walk_reads(Stmt const& root, OnTouched const& f) {
  walk(root, [&](Stmt const& s) {
    dispatch(*s, [&](auto const& node) { own_reads(node, f); });
    return true;
  });
}

bool has_barrier(Stmt const& root) {
  bool found = false;
  walk(root, [&](Stmt const& s) {
    auto const* call = s.as<IntrinsicCall>();
    found = found || (call && call->intrinsic->barrier);
    return !found;
  });
  return found;
}

}  // namespace tw::ir
