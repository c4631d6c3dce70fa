// for y: alloc T[58, 58]: T[y+r, x] ...   -->   for y: alloc T[3, 58]: T[r, x] ...
// for x: alloc T[128]: T[64*a + 4*x + b] ...   -->   for x: alloc T[8]: T[4*a + b] ...
#include "engine/arith/instances.h"
#include "engine/arith/known_sizes.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

void set_range(arith::Ranges& ranges, std::string const& name, Expr const& extent) {
  if (auto known = as_int(extent))
    ranges.set(name, {0, *known - 1});
  else
    ranges.erase(name);
}

class Moving : public Rewriter {
public:
  /// `ranges`: of the loops around the allocation.
  Moving(Buffer to, arith::Instances const& one, arith::Ranges ranges)
      : to_(std::move(to)), one_(one), ranges_(std::move(ranges)) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    if (!read || read->buffer->name != to_->name) return next;
    return load(to_, one_.indices_of(read->indices, ranges_));
  }
  Stmt visit(Stmt const& s) override {
    arith::Ranges const outside = ranges_;
    if (auto const* loop = s.as<For>()) set_range(ranges_, loop->name(), loop->extent);
    if (auto const* call = s.as<IntrinsicCall>())
      for (Operand const& operand : call->operands)
        for (OperandAxis const& axis : operand.axes) set_range(ranges_, axis.name(), axis.extent);
    Stmt next = rebuild(s);
    ranges_ = outside;
    auto const* store = next.as<Store>();
    if (!store || store->buffer->name != to_->name) return next;
    return make_from<Store>(store->origin, to_, one_.indices_of(store->indices, ranges_),
                            store->value);
  }

private:
  Buffer to_;
  arith::Instances const& one_;
  arith::Ranges ranges_;
};

class Compaction : public Rewriter {
public:
  Compaction(Sharing sharing, arith::Ranges sizes)
      : sharing_(std::move(sharing)), sizes_(std::move(sizes)) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* loop = s.as<For>()) {
      around_.push_back(loop);
      Stmt next = rebuild(s);
      around_.pop_back();
      return next;
    }
    Stmt next = rebuild(s);
    auto const* alloc = next.as<Alloc>();
    if (!alloc || around_.empty()) return next;
    arith::Instances one = arith::instances_of(*alloc, around_, sharing_, sizes_);
    if (!one.smaller) return next;
    BufferNode node = *alloc->buffer;
    node.shape = one.shape;
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    arith::Ranges ranges;
    for (For const* loop : around_) set_range(ranges, loop->name(), loop->extent);
    return make_from<Alloc>(alloc->origin, buffer, Moving(buffer, one, ranges).visit(alloc->body));
  }

private:
  Sharing sharing_;
  arith::Ranges sizes_;
  std::vector<For const*> around_;
};

Result<KernelIr> run_compact_tensors(KernelIr const& kernel, PassContext const& context) {
  Sharing const sharing = context.target.sharing();
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    next.body = Compaction(sharing, arith::ranges_of(function.sizes)).visit(function.body);
    return next;
  });
}

}  // namespace

Pass compact_tensors() {
  return {"compact_tensors",
          "Shrinks tensors allocated inside loops to the part that one iteration uses",
          "before loops are partitioned: all parts of a loop then use the same shape",
          run_compact_tensors,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
