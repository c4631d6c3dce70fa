// for y: alloc T[58, 58]: T[y+r, x] ...   -->   for y: alloc T[3, 58]: T[r, x] ...
#include <algorithm>
#include <map>

#include "engine/arith/span.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// What stands inside of one allocation.
struct Inside {
  arith::Ranges running;
  std::vector<std::vector<Expr>> accesses;  // to the tensor
};

Inside look_inside(Alloc const& alloc) {
  Inside inside;
  std::map<std::string, int64_t> extents;  // nests side by side may use one name
  bool known = true;
  auto runs = [&](std::string const& name, Expr const& to) {
    auto extent = as_int(to);
    known = known && extent;
    int64_t& most = extents[name];
    most = std::max(most, extent.value_or(1));
  };
  walk(alloc.body, [&](Stmt const& s) {
    if (auto const* loop = s.as<For>()) runs(loop->name(), loop->extent);
    if (auto const* call = s.as<IntrinsicCall>())
      for (Operand const& operand : call->operands)
        for (OperandAxis const& axis : operand.axes) runs(axis.name(), axis.extent);
    if (auto const* store = s.as<Store>(); store && store->buffer->name == alloc.buffer->name)
      inside.accesses.push_back(store->indices);
    return true;
  });
  walk_exprs(alloc.body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && read->buffer->name == alloc.buffer->name) inside.accesses.push_back(read->indices);
    return true;
  });
  if (!known) inside.accesses.clear();
  for (auto const& [name, extent] : extents) inside.running.set(name, {0, extent - 1});
  return inside;
}

/// Where each dimension starts and how long it is, for one run of the allocation.
struct Box {
  std::vector<Expr> base;
  std::vector<Expr> shape;
  bool smaller = false;
};

Box box_of(Alloc const& alloc, Inside const& inside) {
  Box box;
  for (size_t d = 0; d < alloc.buffer->shape.size(); ++d) {
    std::vector<Expr> indices;
    for (auto const& access : inside.accesses) indices.push_back(access[d]);
    auto whole = as_int(alloc.buffer->shape[d]);
    auto reach = arith::reach_of(indices, inside.running);
    bool shrinks = whole && reach && reach->high - reach->low + 1 < *whole;
    if (shrinks) reach->still.constant += reach->low;
    box.base.push_back(shrinks ? arith::to_expr(reach->still) : int_imm(0));
    box.shape.push_back(shrinks ? int_imm(reach->high - reach->low + 1) : alloc.buffer->shape[d]);
    box.smaller = box.smaller || shrinks;
  }
  return box;
}

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
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (s.as<For>()) {
      ++depth_;
      Stmt next = rebuild(s);
      --depth_;
      return next;
    }
    Stmt next = rebuild(s);
    auto const* alloc = next.as<Alloc>();
    if (!alloc || depth_ == 0) return next;
    Inside inside = look_inside(*alloc);
    if (inside.accesses.empty()) return next;
    Box box = box_of(*alloc, inside);
    if (!box.smaller) return next;
    BufferNode node = *alloc->buffer;
    node.shape = box.shape;
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    return make_from<Alloc>(alloc->origin, buffer, Moving(buffer, box.base).visit(alloc->body));
  }

private:
  int depth_ = 0;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Compaction().visit(body); });
}

}  // namespace

Pass compact_tensors() {
  return {"compact_tensors",
          "Shrinks tensors allocated inside loops to the part that one iteration uses",
          "before loops are partitioned: all parts of a loop then use the same shape",
          run,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
