// for y: alloc T[58, 58]: T[y+r, x] ...   -->   for y: alloc T[3, 58]: T[r, x] ...
#include "engine/arith/instances.h"
#include "engine/arith/known_sizes.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

class Moving : public Rewriter {
public:
  Moving(Buffer to, std::vector<Expr> base) : to_(std::move(to)), base_(std::move(base)) {}
  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    return read && read->buffer->name == to_->name ? load(to_, moved(read->indices)) : next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    if (!store || store->buffer->name != to_->name) return next;
    return make_from<Store>(store->origin, to_, moved(store->indices), store->value);
  }

private:
  std::vector<Expr> moved(std::vector<Expr> const& indices) const {
    std::vector<Expr> result;
    for (size_t d = 0; d < indices.size(); ++d)
      result.push_back(arith::simplify(indices[d] - base_[d]));
    return result;
  }
  Buffer to_;
  std::vector<Expr> base_;
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
    return make_from<Alloc>(alloc->origin, buffer, Moving(buffer, one.base).visit(alloc->body));
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
