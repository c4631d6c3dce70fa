// for y: alloc T[58, 58]: T[y+r, x] ...   -->   for y: alloc T[3, 58]: T[r, x] ...
#include <fmt/format.h>

#include <map>
#include <type_traits>

#include "engine/arith/span.h"
#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
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

/// Accesses to one tensor, in counters of their own: nests side by side may use one name.
class Looking {
public:
  explicit Looking(std::string tensor) : tensor_(std::move(tensor)) {}

  void runs(std::string const& name, Expr const& to) {
    auto extent = as_int(to);
    known_ = known_ && extent;
    inside_.running.set(name, {0, extent.value_or(1) - 1});
  }

  void visit(Stmt const& s) {
    walk(s, [&](Stmt const& child) {
      if (auto const* loop = child.as<For>()) return visit_loop(*loop), false;
      if (auto const* store = child.as<Store>(); store && store->buffer->name == tensor_)
        add(store->indices);
      visit_reads(child);
      return true;
    });
  }

  Inside take() {
    if (!known_) inside_.accesses.clear();
    return std::move(inside_);
  }

private:
  void visit_loop(For const& loop) {
    auto [first, is_new] = extents_.try_emplace(loop.name(), as_int(loop.extent).value_or(0));
    bool differs = !is_new && first->second != as_int(loop.extent);
    std::string counter = loop.name();
    if (differs) counter += fmt::format(" {}", ++renamed_);  // no name of a program's
    runs(counter, loop.extent);
    Substitution before = own_;
    own_.erase(loop.name());
    if (differs) own_[loop.name()] = var(counter);
    visit(loop.body);
    own_ = std::move(before);
  }

  /// Of the expressions of one statement, without those of the statements in it.
  void visit_reads(Stmt const& s) {
    if (auto const* call = s.as<IntrinsicCall>())
      for (Operand const& operand : call->operands)
        for (OperandAxis const& axis : operand.axes) runs(axis.name(), axis.extent);
    dispatch(*s, [&](auto const& node) {
      for_each_field(node, [&](auto const& field) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, Stmt>) look(field);
      });
    });
  }
  void look(Expr const& e) {
    if (!e) return;
    walk(e, [&](Expr const& part) {
      auto const* read = part.as<Load>();
      if (read && read->buffer->name == tensor_) add(read->indices);
      return true;
    });
  }
  void look(std::vector<Expr> const& list) {
    for (Expr const& e : list) look(e);
  }
  void look(std::vector<Operand> const& operands) {
    for (Operand const& operand : operands) look(operand.value);
  }
  void look(auto const&) {}

  void add(std::vector<Expr> indices) {
    if (!own_.empty())
      for (Expr& index : indices) index = substitute(index, own_);
    inside_.accesses.push_back(std::move(indices));
  }

  std::string tensor_;
  Inside inside_;
  std::map<std::string, int64_t> extents_;  // of the first loop of a name
  Substitution own_;
  int renamed_ = 0;
  bool known_ = true;
};

/// `sharing`: loops around whose threads have it together.
Inside look_inside(Alloc const& alloc, std::vector<For const*> const& sharing) {
  Looking looking(alloc.buffer->name);
  for (For const* loop : sharing) looking.runs(loop->name(), loop->extent);
  looking.visit(alloc.body);
  return looking.take();
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
  explicit Compaction(Target const& target) : target_(target) {}
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
    std::vector<For const*> sharing;
    for (For const* loop : around_)
      if (!target_.instance_per_iteration(*loop, *alloc->buffer)) sharing.push_back(loop);
    Inside inside = look_inside(*alloc, sharing);
    if (inside.accesses.empty()) return next;
    Box box = box_of(*alloc, inside);
    if (!box.smaller) return next;
    BufferNode node = *alloc->buffer;
    node.shape = box.shape;
    auto buffer = std::make_shared<BufferNode const>(std::move(node));
    return make_from<Alloc>(alloc->origin, buffer, Moving(buffer, box.base).visit(alloc->body));
  }

private:
  Target const& target_;
  std::vector<For const*> around_;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const& context) {
  return rewrite_bodies(kernel,
                        [&](Stmt const& body) { return Compaction(context.target).visit(body); });
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
