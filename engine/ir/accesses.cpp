#include "engine/ir/accesses.h"

#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

/// What holds on the other side of a select.
Expr opposite(Expr const& condition) {
  auto const* test = condition.as<Binary>();
  if (test && test->op == BinaryOp::kLt) return binary(BinaryOp::kLe, test->b, test->a);
  if (test && test->op == BinaryOp::kLe) return binary(BinaryOp::kLt, test->b, test->a);
  return unary(UnaryOp::kNot, condition);
}

/// Goes through the expressions of a block, with the conditions under which they are evaluated.
class Collector {
public:
  explicit Collector(Block const& block) {
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
    walk(s, [&](Stmt const& x) {
      if (auto const* store = x.as<Store>()) add(store->buffer, store->indices, AccessKind::kWrite);
      return true;
    });
    // A hint's element is not read; what its index reads is.
    if (auto const* hint = s.as<Prefetch>()) {
      auto const* element = hint->element.as<Load>();
      add(element->buffer, element->indices, AccessKind::kHint);
      for (Expr const& index : element->indices) visit(index);
      return;
    }
    if (auto const* store = s.as<Store>()) {
      for (Expr const& index : store->indices) visit(index);
      visit(store->value);
      return;
    }
    walk_exprs(s, [&](Expr const& e) { return visit(e), false; });
  }

  /// What depends on data may hold or not.
  void assume(Expr const& condition) {
    bool reads = false;
    walk(condition, [&](Expr const& e) { return reads = reads || e.as<Load>(), !reads; });
    if (!reads) conditions_.push_back(condition);
  }

  void add(Buffer const& buffer, std::vector<Expr> const& indices, AccessKind kind) {
    BlockAccess access{buffer, {}, kind, part_, {}};
    for (Expr const& index : indices) access.indices.push_back(substitute(index, bindings_));
    for (Expr const& one : conditions_) access.conditions.push_back(substitute(one, bindings_));
    found_.push_back(std::move(access));
  }

  std::vector<BlockAccess> found_;
  BlockPart part_ = BlockPart::kHeader;
  Substitution bindings_;
  std::vector<Expr> conditions_;  ///< of the selects around
};

}  // namespace

std::vector<BlockAccess> accesses_of(Block const& block) { return Collector(block).take(); }

}  // namespace tw::ir
