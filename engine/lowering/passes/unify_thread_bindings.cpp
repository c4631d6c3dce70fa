// for bx: for tx: { S(tx); for t: F(t) }   -->   for bx: for threadIdx.x: { S(..); F(..) }
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// An axis of threads that a launch has.
struct Axis {
  std::string name;
  Expr var;
  int64_t extent = 1;
  LoopId loop;  ///< the first one that is bound to it
};

std::optional<Level> level_of(Target const& target, For const& loop) {
  ThreadAxis const* axis = axis_of(target, loop);
  return axis ? std::optional(axis->level) : std::nullopt;
}

Level level_of(Target const& target, BufferNode const& tensor) {
  MemoryScope const* memory = target.scope(tensor.scope);
  return memory ? memory->shared_by : Level::kDevice;
}

/// Conditions on the threads alone stand around as much as they hold for.
Stmt guarded(Expr const& condition, Stmt const& body) {
  return make_from<If>(without_words(body->origin), condition, body);
}

/// One launch: loops of threads become its threads. What all threads along an axis would write to
/// the same place is done by the first of them.
class Spreading : public Rewriter {
public:
  Spreading(Target const& target, std::vector<Axis> const& axes) : target_(target), axes_(axes) {}

  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (auto const* loop = s.as<For>()) return visit_loop(s, *loop);
    if (auto const* alloc = s.as<Alloc>()) return visit_alloc(s, *alloc);
    if (s.as<Seq>()) return joined(rebuild(s));
    if (auto const* node = s.as<If>()) return visit_if(s, *node);
    if (s.as<Store>() || s.as<IntrinsicCall>()) return by_the_first(s);
    return rebuild(s);
  }

  /// Tensors that threads share: there is one of each, whatever loop it was allocated in.
  std::vector<Buffer> const& shared() const { return shared_; }

private:
  Axis const& axis(std::string const& name) const {
    return *std::ranges::find(axes_, name, &Axis::name);
  }
  bool is_of_threads(Expr const& condition) const {
    bool only = true;
    walk(condition, [&](Expr const& e) {
      auto const* used = e.as<Variable>();
      only = only && !e.as<Load>() && (!used || std::ranges::any_of(axes_, [&](Axis const& one) {
               return one.var.to<Variable>().name == used->name;
             }));
      return only;
    });
    return only;
  }
  If const* guard(Stmt const& s) const {
    auto const* node = s.as<If>();
    return node && !node->else_body && is_of_threads(node->condition) ? node : nullptr;
  }

  Stmt visit_loop(Stmt const& s, For const& loop) {
    if (level_of(target_, loop) != Level::kThread) {
      Stmt next = rebuild(s);
      If const* inner = guard(next.to<For>().body);
      if (!inner) return next;
      return guarded(inner->condition, make_from<For>(loop.origin, loop.id, loop.var, loop.extent,
                                                      loop.loop_kind, inner->then_body, loop.bind));
    }
    Axis const& threads = axis(loop.bind);
    counters_[loop.bind].push_back(loop.name());
    Stmt body = visit(loop.body);
    counters_[loop.bind].pop_back();
    body = substitute(body, {{loop.name(), threads.var}});
    if (is_int(loop.extent, threads.extent)) return body;
    return guarded(binary(BinaryOp::kLt, threads.var, loop.extent), body);
  }

  Stmt visit_alloc(Stmt const& s, Alloc const& alloc) {
    Stmt next = rebuild(s);
    if (level_of(target_, *alloc.buffer) == Level::kThread) return next;
    Buffer tensor = of_its_own_name(alloc.buffer);
    shared_.push_back(tensor);
    return replace_buffer(next.to<Alloc>().body, alloc.buffer->name, tensor);
  }

  /// Nests side by side may use one name.
  Buffer of_its_own_name(Buffer const& tensor) const {
    BufferNode node = *tensor;
    auto taken = [&](std::string const& name) {
      return std::ranges::any_of(shared_, [&](Buffer const& b) { return b->name == name; });
    };
    for (int i = 1; taken(node.name); ++i) node.name = fmt::format("{}_{}", tensor->name, i);
    return node.name == tensor->name ? tensor : std::make_shared<BufferNode const>(std::move(node));
  }

  Stmt visit_if(Stmt const& s, If const& node) {
    conditions_.push_back(node.condition);
    Stmt next = rebuild(s);
    conditions_.pop_back();
    return next;
  }

  /// Whether the loops bound to an axis tell where, or whether, something is written.
  bool is_spread(Axis const& one, std::vector<Expr> const& indices) const {
    auto counters = counters_.find(one.name);
    if (counters == counters_.end()) return false;
    for (auto const* list : {&indices, &conditions_})
      for (Expr const& e : *list)
        for (std::string const& counter : counters->second)
          if (uses_variable(e, counter)) return true;
    return false;
  }

  Stmt by_the_first(Stmt const& s) {
    std::set<std::string> once;
    walk_writes(s, [&](Touched const& at) {
      if (level_of(target_, *at.buffer) == Level::kThread) return;
      for (Axis const& one : axes_)
        if (!is_spread(one, at.indices)) once.insert(one.name);
    });
    Expr first;
    for (Axis const& one : axes_) {
      if (!once.contains(one.name) || one.extent == 1) continue;
      Expr is_first = binary(BinaryOp::kEq, one.var, int_imm(0));
      first = first ? binary(BinaryOp::kAnd, first, is_first) : is_first;
    }
    return first ? guarded(first, s) : s;
  }

  /// Neighbours under one condition stand under it together.
  Stmt joined(Stmt const& s) const {
    auto const* list = s.as<Seq>();
    if (!list) return s;
    std::vector<Stmt> stmts;
    for (Stmt const& child : list->stmts) {
      If const *last = stmts.empty() ? nullptr : guard(stmts.back()), *next = guard(child);
      if (last && next && equal(last->condition, next->condition))
        stmts.back() = guarded(last->condition, joined(seq({last->then_body, next->then_body})));
      else
        stmts.push_back(child);
    }
    return stmts.size() == list->stmts.size() ? s : seq(std::move(stmts));
  }

  Target const& target_;
  std::vector<Axis> const& axes_;
  std::map<std::string, std::vector<std::string>> counters_;  // of loops around, by their axis
  std::vector<Expr> conditions_;                              // around, in those counters
  std::vector<Buffer> shared_;
};

/// The axes of all loops of threads below, those that change fastest last.
std::vector<Axis> axes_below(Target const& target, Stmt const& body) {
  std::map<std::string, Axis> found;
  std::set<std::string> names;
  walk(body, [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    if (!loop) return true;
    names.insert(loop->name());
    if (level_of(target, *loop) != Level::kThread) return true;
    Axis& axis = found.try_emplace(loop->bind, Axis{loop->bind, {}, 1, loop->id}).first->second;
    axis.extent = std::max(axis.extent, as_int(loop->extent).value_or(1));
    return true;
  });
  std::vector<Axis> axes;
  for (auto one = target.axes.rbegin(); one != target.axes.rend(); ++one)
    if (auto at = found.find(one->name); at != found.end()) {
      std::string name = one->name;
      while (names.contains(name)) name += "_";
      at->second.var = var(name);
      axes.push_back(at->second);
    }
  return axes;
}

Stmt with_threads(Target const& target, Stmt const& body) {
  std::vector<Axis> axes = axes_below(target, body);
  if (axes.empty()) return body;
  Spreading spreading(target, axes);
  Stmt result = spreading.visit(body);
  for (Buffer const& tensor : spreading.shared()) result = make<Alloc>(tensor, result);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    result = make<For>(axis->loop, axis->var, int_imm(axis->extent), LoopKind::kBind, result,
                       axis->name);
  return result;
}

/// What blocks or threads have for themselves is allocated inside of their loops.
class Instances {
public:
  explicit Instances(Target const& target) : target_(target) {}

  Status check(Stmt const& body) {
    walk(body, [&](Stmt const& s) {
      auto const* loop = s.as<For>();
      if (loop && loop->loop_kind == LoopKind::kBind) look_inside(*loop);
      return bool(status_);
    });
    return status_;
  }

private:
  void look_inside(For const& loop) {
    std::set<std::string> inside;
    walk(loop.body, [&](Stmt const& s) {
      if (auto const* alloc = s.as<Alloc>()) inside.insert(alloc->buffer->name);
      return true;
    });
    auto look = [&](Touched const& at) {
      bool own = target_.instance_per_iteration(loop, *at.buffer);
      if (!own || inside.contains(at.buffer->name) || !status_) return;
      status_ = refused("instance_outside",
                        fmt::format("{} is allocated outside of the loop {}, but each iteration of "
                                    "it has an instance of its own in '{}': compute it there",
                                    at.buffer->name, loop.name(), at.buffer->scope));
    };
    walk_writes(loop.body, look);
    walk_reads(loop.body, look);
  }

  Target const& target_;
  Status status_;
};

class Launching : public Rewriter {
public:
  explicit Launching(Target const& target) : target_(target) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    if (!loop || loop->loop_kind != LoopKind::kBind) return rebuild(s);
    if (level_of(target_, *loop) == Level::kThread) return with_threads(target_, s);
    auto const* inner = loop->body.as<For>();
    bool more =
        inner && inner->loop_kind == LoopKind::kBind && level_of(target_, *inner) != Level::kThread;
    Stmt body = more ? visit(loop->body) : with_threads(target_, loop->body);
    return make_from<For>(loop->origin, loop->id, loop->var, loop->extent, loop->loop_kind, body,
                          loop->bind);
  }

private:
  Target const& target_;
};

Result<KernelIr> run_unify_thread_bindings(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    TRY(Instances(context.target).check(function.body));
    Function next = function;
    next.body = Launching(context.target).visit(function.body);
    return next;
  });
}

}  // namespace

Pass unify_thread_bindings() {
  return {"unify_thread_bindings",
          "Unifies thread loops: one per axis and launch",
          "after tensors were compacted: shared tensors have their final size",
          run_unify_thread_bindings,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
