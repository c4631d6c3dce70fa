// block Y(vi = i.0*4+i.1) if g: Y[vi] = ...   -->   if g: Y[i.0*4+i.1] = ...
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Knows the loops around while it goes down, so that statements can remember them.
class BlockLowering : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* loop = s.as<For>()) {
      origin_.loops.push_back(loop->id);
      Stmt body = visit(loop->body);
      Stmt next = make_from<For>(origin_of(*loop), loop->id, loop->var, loop->extent,
                                 loop->loop_kind, body, loop->bind);
      origin_.loops.pop_back();
      return next;
    }
    if (auto const* block = s.as<Block>()) return lower(*block);
    Origin origin = origin_;
    if (s.as<Store>()) origin.annotations = words_;
    return with_origin(rebuild(s), std::move(origin));
  }

private:
  Origin origin_of(For const& loop) const {
    Origin origin = origin_;
    origin.annotations = loop.origin.annotations;
    return origin;
  }

  Stmt lower(Block const& block) {
    Substitution bindings;
    for (IterVar const& iter : block.iters) bindings[iter.name()] = iter.binding;
    origin_.blocks = {block.id};
    words_ = block.origin.annotations;
    Stmt body = visit(substitute(block.body, bindings));
    if (block.predicate) body = make_from<If>(origin_, block.predicate, body);
    origin_.blocks.clear();
    words_.clear();
    return body;
  }
  Origin origin_;
  std::vector<Annotation> words_;  // of the block: what it stores has them
};

Result<KernelIr> run_lower_blocks(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return BlockLowering().visit(body); });
}

}  // namespace

Pass lower_blocks() {
  return {"lower_blocks",
          "Replaces blocks by plain statements over the loop variables; guards become conditions",
          "after the initializations are moved out: from here on it is not known which loops are "
          "spatial",
          run_lower_blocks,
          {.needs = {Invariant::kNoInits}, .gives = {Invariant::kNoBlocks}}};
}

}  // namespace tw
