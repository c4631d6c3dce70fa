// shared M[threadIdx.x] = ..; .. = M[threadIdx.x]   -->   local M[0] = ..; .. = M[0]
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// An access with the conditions that it stands under.
struct Access {
  std::vector<Expr> indices, conditions;
};

/// Who uses which elements of one tensor.
class Uses {
public:
  explicit Uses(std::string tensor) : tensor_(std::move(tensor)) {}

  std::vector<Access> const& all() const { return accesses_; }
  bool known() const { return known_; }

  void visit(Stmt const& root) {
    walk(root, [&](Stmt const& s) {
      if (auto const* node = s.as<If>()) {
        look(node->condition);
        for (Expr const& part : conjuncts(node->condition)) conditions_.push_back(part);
        visit(node->then_body);
        conditions_.resize(conditions_.size() - conjuncts(node->condition).size());
        if (node->else_body) visit(node->else_body);
        return false;
      }
      if (auto const* loop = s.as<For>()) look(loop->extent);
      if (auto const* let = s.as<Let>()) look(let->value);
      if (s.as<Store>() || s.as<IntrinsicCall>()) look_inside(s);
      return true;
    });
  }

private:
  void add(Touched const& at) {
    if (at.buffer->name == tensor_) accesses_.push_back({at.indices, conditions_});
  }
  void look(Expr const& e) {
    walk_reads(e, [&](Touched const& at) { add(at); });
  }
  void look_inside(Stmt const& s) {
    size_t before = accesses_.size();
    walk_writes(s, [&](Touched const& at) { add(at); });
    walk_reads(s, [&](Touched const& at) { add(at); });
    known_ = known_ && (!s.as<IntrinsicCall>() || accesses_.size() == before);
  }

  std::string tensor_;
  std::vector<Access> accesses_;
  std::vector<Expr> conditions_;
  bool known_ = true;
};

bool is_first(Access const& access, std::string const& thread) {
  return std::ranges::any_of(access.conditions, [&](Expr const& e) {
    auto const* test = e.as<Binary>();
    auto const* counter = test && test->op == BinaryOp::kEq ? test->a.as<Variable>() : nullptr;
    return counter && counter->name == thread && is_int(test->b, 0);
  });
}

/// Each use is of the thread that the index names, or of the first one along the axis.
bool is_named_by(Access const& access, size_t dimension, std::string const& thread) {
  auto const* counter = access.indices[dimension].as<Variable>();
  return (counter && counter->name == thread) ||
         (is_int(access.indices[dimension], 0) && is_first(access, thread));
}

/// Threads of one launch, and tensors that they share.
class Privatizing : public Rewriter {
public:
  explicit Privatizing(Target const& target) : target_(target) {}

  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    auto const* read = next.as<Load>();
    auto found = read ? own_.find(read->buffer->name) : own_.end();
    return found == own_.end() ? next : load(found->second, first_of(found->second));
  }
  Stmt visit(Stmt const& s) override {
    if (auto const* loop = s.as<For>()) return visit_loop(s, *loop);
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(s, *alloc);
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    auto found = store ? own_.find(store->buffer->name) : own_.end();
    if (found == own_.end()) return next;
    return make_from<Store>(store->origin, found->second, first_of(found->second), store->value);
  }

private:
  static std::vector<Expr> first_of(Buffer const& tensor) {
    return std::vector<Expr>(tensor->shape.size(), int_imm(0));
  }

  Stmt visit_loop(Stmt const& s, For const& loop) {
    ThreadAxis const* axis = axis_of(target_, loop);
    bool counts = axis && axis->level == Level::kThread && !is_int(loop.extent, 1);
    if (counts) threads_.push_back(&loop);
    Stmt next = rebuild(s);
    if (counts) threads_.pop_back();
    return next;
  }

  Stmt visit_alloc(Stmt const& s, Alloc const& alloc) {
    Buffer own = private_one(alloc);
    if (!own) return rebuild(s);
    own_[own->name] = own;
    Stmt body = visit(alloc.body);
    own_.erase(own->name);
    return make_from<Alloc>(alloc.origin, own, body);
  }

  /// One element of each thread; null: threads share it, or have several.
  Buffer private_one(Alloc const& alloc) const {
    MemoryScope const* memory = target_.scope(alloc.buffer->scope);
    if (!memory || memory->shared_by != Level::kBlock || threads_.empty()) return nullptr;
    Uses uses(alloc.buffer->name);
    uses.visit(alloc.body);
    if (!uses.known()) return nullptr;
    std::set<size_t> named;
    for (For const* thread : threads_)
      if (!is_apart(*alloc.buffer, uses.all(), thread->name(), named)) return nullptr;
    for (size_t d = 0; d < alloc.buffer->shape.size(); ++d)
      if (!named.contains(d) && !is_int(alloc.buffer->shape[d], 1)) return nullptr;
    auto registers = std::ranges::find(target_.scopes, Level::kThread, &MemoryScope::shared_by);
    if (registers == target_.scopes.end()) return nullptr;
    std::vector<int64_t> shape(alloc.buffer->shape.size(), 1);
    return make_buffer(alloc.buffer->name, alloc.buffer->type, shape, registers->name);
  }

  /// `named`: dimensions whose index is the thread.
  static bool is_apart(BufferNode const& tensor, std::vector<Access> const& uses,
                       std::string const& thread, std::set<size_t>& named) {
    if (std::ranges::all_of(uses, [&](Access const& one) { return is_first(one, thread); }))
      return true;
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
      if (named.contains(d) || !std::ranges::all_of(uses, [&](Access const& one) {
            return is_named_by(one, d, thread);
          }))
        continue;
      named.insert(d);
      return true;
    }
    return false;
  }

  Target const& target_;
  std::vector<For const*> threads_;
  std::map<std::string, Buffer> own_;
};

Result<KernelIr> run_privatize_shared_tensors(KernelIr const& kernel, PassContext const& context) {
  return rewrite_bodies(kernel,
                        [&](Stmt const& body) { return Privatizing(context.target).visit(body); });
}

}  // namespace

Pass privatize_shared_tensors() {
  return {"privatize_shared_tensors",
          "Moves shared tensors to registers where each thread uses an element of its own alone",
          "after thread loops were unified: the accesses of each thread are known",
          run_privatize_shared_tensors,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
