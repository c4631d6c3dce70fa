#include "engine/ir/accesses.h"

#include <fmt/format.h>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

/// Goes through the expressions of a block, with the conditions under which they are evaluated.
class Collector {
public:
  explicit Collector(Block const& block) : block_(block.id) {
    for (IterVar const& iter : block.iters) bindings_[iter.name()] = iter.binding;
    // Bindings and guard speak of loops, of which the bindings' names are none.
    part_ = BlockPart::kHeader;
    for (IterVar const& iter : block.iters) visit(iter.binding);
    if (block.predicate) visit(block.predicate);
    part_ = BlockPart::kBody;
    visit(block.body);
    part_ = BlockPart::kInit;
    if (block.init) visit(block.init);
  }

  std::vector<BlockAccess> take() { return std::move(found_); }

private:
  void visit(Expr const& e) {
    if (auto const* choice = e.as<Select>()) {
      visit(choice->condition);
      std::vector<Expr> outside = conditions_;
      for (Expr const& part : conjuncts(choice->condition)) assume(part);
      visit(choice->a);
      conditions_ = outside;
      assume(opposite(choice->condition));
      visit(choice->b);
      conditions_ = outside;
      return;
    }
    if (auto const* read = e.as<Load>()) add(read->buffer, read->indices, AccessKind::kRead);
    walk(e, [&](Expr const& child) {
      if (child.same_as(e)) return true;
      visit(child);
      return false;
    });
  }

  void visit(Stmt const& s) {
    walk_writes(
        s, [&](Touched const& at) { add(at.buffer, at.indices, AccessKind::kWrite, at.axes); });
    visit_reads(s);
  }

  void visit_reads(Stmt const& s) {
    dispatch(*s, [&](auto const& node) { reads_of(node); });
  }

  /// A hint's element is not read; what its index reads is.
  void reads_of(Prefetch const& hint) {
    auto const& element = hint.element.to<Load>();
    add(element.buffer, element.indices, AccessKind::kHint);
    for (Expr const& index : element.indices) visit(index);
  }

  void reads_of(IntrinsicCall const& call) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      auto const* element = call.operands[i].value.as<Load>();
      IntrinsicParam const& param = call.intrinsic->params[i];
      if (!param.buffer || !element) {
        visit(call.operands[i].value);
        continue;
      }
      if (param.reads())
        add(element->buffer, element->indices, AccessKind::kRead, call.operands[i].axes);
      for (Expr const& index : element->indices) visit(index);
    }
  }

  template <typename N>
  void reads_of(N const& node) {
    for_each_field(node, overloaded{
                             [&](Expr const& e) {
                               if (e) visit(e);
                             },
                             [&](std::vector<Expr> const& list) {
                               for (Expr const& e : list) visit(e);
                             },
                             [&](Stmt const& s) {
                               if (s) visit_reads(s);
                             },
                             [&](std::vector<Stmt> const& list) {
                               for (Stmt const& s : list) visit_reads(s);
                             },
                             [](auto const&) {},
                         });
  }

  /// What depends on data may hold or not.
  void assume(Expr const& condition) {
    bool reads = false;
    walk(condition, [&](Expr const& e) { return reads = reads || e.as<Load>(), !reads; });
    if (!reads) conditions_.push_back(condition);
  }

  void add(Buffer const& buffer, std::vector<Expr> const& indices, AccessKind kind,
           std::vector<OperandAxis> const& axes = {}) {
    BlockAccess access{buffer, {}, kind, part_, {}};
    Substitution names = bindings_;
    for (OperandAxis const& axis : axes) {
      Expr own = var(fmt::format("{}@{}.{}", axis.name(), block_.value, found_.size()));
      access.axes.push_back({own, axis.extent});
      names[axis.name()] = own;
    }
    for (Expr const& index : indices) access.indices.push_back(substitute(index, names));
    for (Expr const& one : conditions_) access.conditions.push_back(substitute(one, bindings_));
    found_.push_back(std::move(access));
  }

  std::vector<BlockAccess> found_;
  BlockId block_;
  BlockPart part_ = BlockPart::kHeader;
  Substitution bindings_;
  std::vector<Expr> conditions_;  ///< of the selects around
};

}  // namespace

Expr opposite(Expr const& condition) {
  auto const* test = condition.as<Binary>();
  bool orders = test && is_integer(test->a.type());  // of floats that are no numbers neither holds
  if (orders && test->op == BinaryOp::kLt) return binary(BinaryOp::kLe, test->b, test->a);
  if (orders && test->op == BinaryOp::kLe) return binary(BinaryOp::kLt, test->b, test->a);
  return unary(UnaryOp::kNot, condition);
}

std::vector<BlockAccess> accesses_of(Block const& block) { return Collector(block).take(); }

}  // namespace tw::ir
