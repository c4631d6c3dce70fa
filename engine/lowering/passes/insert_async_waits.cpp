// copy(0); for k: { copy(k+1); use(k) }   -->   copy(0); commit; for k: { copy(k+1); commit;
// wait(1); use(k) }
#include <algorithm>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

Stmt call_of(Intrinsic const& intrinsic) {
  return make<IntrinsicCall>(intrinsic, std::vector<Operand>());
}
Stmt wait_for(AsyncQueue const& queue, int64_t groups) {
  return make<IntrinsicCall>(queue.wait, std::vector<Operand>{{int_imm(groups), {}}});
}

void add_written(Stmt const& s, std::set<std::string>& tensors) {
  walk_writes(s, [&](Touched const& at) { tensors.insert(at.buffer->name); });
}

/// Whether copies belong to the group of those before them, which write `tensors`: that they write
/// one of them again begins the next stage, which may be under way for longer.
bool goes_on(AsyncQueue const& queue, Stmt const& next, std::set<std::string> const& tensors) {
  if (!queue.starts_only(next)) return false;
  std::set<std::string> more;
  add_written(next, more);
  return std::ranges::none_of(more, [&](auto const& name) { return tensors.contains(name); });
}

/// Copies that follow one another are one group for each time that they write a tensor.
class Committing {
public:
  Committing(Target const& target, AsyncQueue const& queue) : target_(target), queue_(queue) {}

  Stmt visit(Stmt const& s) const {
    auto starts = [&](Stmt const& part) { return queue_.starts(part); };
    if (!holds_outside_launches(target_, s, starts) || is_launch(target_, s)) return s;
    if (auto const* list = s.as<Seq>()) return visit_list(*list);
    if (queue_.starts_only(s)) return seq({s, call_of(queue_.commit)});
    if (auto const* loop = s.as<For>())
      return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind,
                            visit(loop->body), loop->bind);
    if (auto const* alloc = s.as<Alloc>())
      return make_from<Alloc>(s->origin, alloc->buffer, visit(alloc->body));
    if (auto const* let = s.as<Let>())
      return make_from<Let>(s->origin, let->var, let->value, visit(let->body));
    auto const& node = s.to<If>();
    return make_from<If>(s->origin, node.condition, visit(node.then_body),
                         node.else_body ? visit(node.else_body) : Stmt());
  }

private:
  Stmt visit_list(Seq const& list) const {
    std::vector<Stmt> stmts;
    std::set<std::string> tensors;  // of the group that is open
    for (size_t i = 0; i < list.stmts.size(); ++i) {
      Stmt const& child = list.stmts[i];
      if (is_committed(list, i)) {
        stmts.push_back(child);
        continue;
      }
      bool only = queue_.starts_only(child);
      if (only) add_written(child, tensors);
      bool open = only && i + 1 < list.stmts.size() && goes_on(queue_, list.stmts[i + 1], tensors);
      stmts.push_back(open ? child : visit(child));
      if (!open) tensors.clear();
    }
    return seq(std::move(stmts));
  }

  /// By who has split roles: a commit comes behind it, and nothing but more of the group between.
  bool is_committed(Seq const& list, size_t i) const {
    while (i < list.stmts.size() && queue_.starts_only(list.stmts[i])) ++i;
    return i < list.stmts.size() && queue_.commits(list.stmts[i]);
  }

  Target const& target_;
  AsyncQueue const& queue_;
};

/// Each copy is waited for where it is started.
class WaitingAtOnce : public Rewriter {
public:
  WaitingAtOnce(Target const& target, AsyncQueue const& queue) : target_(target), queue_(queue) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (queue_.starts(s)) return seq({s, call_of(queue_.commit), wait_for(queue_, 0)});
    return is_launch(target_, s) ? s : rebuild(s);
  }

private:
  Target const& target_;
  AsyncQueue const& queue_;
};

class Placing : public Rewriter {
public:
  Placing(Target const& target, AsyncQueue const& queue, Waits const& waits)
      : target_(target), queue_(queue), waits_(waits) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto wait = waits_.find(s.get());
    if (wait == waits_.end()) return rebuild(s);
    auto const* alloc = s.as<Alloc>();
    auto commits = [&](Stmt const& part) { return queue_.commits(part); };
    if (!alloc || !holds_outside_launches(target_, s, commits))
      return seq({wait_for(queue_, wait->second), s});
    Stmt body = seq({visit(alloc->body), wait_for(queue_, wait->second)});
    return make_from<Alloc>(s->origin, alloc->buffer, body);
  }

private:
  Target const& target_;
  AsyncQueue const& queue_;
  Waits const& waits_;
};

class Launches {
public:
  Launches(Target const& target, AsyncQueue const& queue) : target_(target), queue_(queue) {}

  /// Loops of threads stand around all that they do. What is between launches waits for its copies
  /// itself.
  Stmt visit(Stmt const& s, LoopsAround const& around) const {
    if (!holds(s, starts_)) return s;
    if (!is_launch(target_, s))
      return placed(around.threads.empty() ? with_launches(s, around) : s, around);
    auto const& loop = s.to<For>();
    LoopsAround more = around;
    bool of_threads = axis_of(target_, loop)->level == Level::kThread;
    (of_threads ? more.threads : more.others).push_back(&loop);
    return make_from<For>(s->origin, loop.id, loop.var, loop.extent, loop.loop_kind,
                          visit(loop.body, more), loop.bind);
  }

private:
  Stmt with_launches(Stmt const& s, LoopsAround around) const {
    struct Inside : Rewriter {
      Launches const* launches;
      LoopsAround* around;
      Expr visit(Expr const& e) override { return e; }
      Stmt visit(Stmt const& part) override {
        if (is_launch(launches->target_, part)) return launches->visit(part, *around);
        auto const* loop = part.as<For>();
        if (loop) around->others.push_back(loop);
        Stmt next = rebuild(part);
        if (loop) around->others.pop_back();
        return next;
      }
    } inside;
    inside.launches = this;
    inside.around = &around;
    return inside.visit(s);
  }

  Stmt placed(Stmt const& s, LoopsAround const& around) const {
    if (!holds_outside_launches(target_, s, starts_)) return s;
    // Roles wait for their copies by phases.
    if (queue_.name.empty() && holds(s, [](Stmt const& part) { return has_phases(part); }))
      return s;
    Stmt body = Committing(target_, queue_).visit(s);
    auto waits = latest_waits(target_, queue_, body, around);
    if (!waits) return WaitingAtOnce(target_, queue_).visit(s);
    Stmt result = Placing(target_, queue_, *waits).visit(body);
    return waits->contains(nullptr) ? seq({result, wait_for(queue_, 0)}) : result;
  }

  Target const& target_;
  AsyncQueue const& queue_;
  IsOne const starts_ = [this](Stmt const& s) { return queue_.starts(s); };
};

Result<KernelIr> run_insert_async_waits(KernelIr const& kernel, PassContext const& context) {
  return with_async_waits(
      kernel, context.target,
      {.name = {}, .commit = context.target.commit, .wait = context.target.wait});
}

}  // namespace

Result<KernelIr> with_async_waits(KernelIr const& kernel, Target const& target,
                                  AsyncQueue const& queue) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    if (!holds(function.body, [&](Stmt const& s) { return queue.starts(s); })) return next;
    if (!queue.commit || !queue.wait)
      return refused("no_waits", "the kernel starts asynchronous copies, but the target " +
                                     target.name + " cannot wait for them");
    next.body = Launches(target, queue).visit(function.body, {});
    return next;
  });
}

Pass insert_async_waits() {
  return {"insert_async_waits",
          "Groups asynchronous copies and inserts waits before use",
          "after thread loops were unified and before barriers are inserted: other threads see a "
          "copy only behind a barrier",
          run_insert_async_waits,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
