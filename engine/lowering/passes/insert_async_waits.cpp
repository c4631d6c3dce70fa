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
Stmt wait_for(Target const& target, int64_t groups) {
  return make<IntrinsicCall>(target.wait, std::vector<Operand>{{int_imm(groups), {}}});
}

void add_written(Stmt const& s, std::set<std::string>& tensors) {
  walk_writes(s, [&](Touched const& at) { tensors.insert(at.buffer->name); });
}

/// Whether copies belong to the group of those before them, which write `tensors`: that they write
/// one of them again begins the next stage, which may be under way for longer.
bool goes_on(Stmt const& next, std::set<std::string> const& tensors) {
  if (!copies_only(next)) return false;
  std::set<std::string> more;
  add_written(next, more);
  return std::ranges::none_of(more, [&](auto const& name) { return tensors.contains(name); });
}

/// Copies that follow one another are one group for each time that they write a tensor.
Stmt with_commits(Target const& target, Stmt const& s) {
  if (!holds_outside_launches(target, s, starts_copy) || is_launch(target, s)) return s;
  if (auto const* list = s.as<Seq>()) {
    std::vector<Stmt> stmts;
    std::set<std::string> tensors;  // of the group that is open
    for (size_t i = 0; i < list->stmts.size(); ++i) {
      Stmt const& child = list->stmts[i];
      if (copies_only(child)) add_written(child, tensors);
      bool open =
          copies_only(child) && i + 1 < list->stmts.size() && goes_on(list->stmts[i + 1], tensors);
      stmts.push_back(open ? child : with_commits(target, child));
      if (!open) tensors.clear();
    }
    return seq(std::move(stmts));
  }
  if (copies_only(s)) return seq({s, call_of(target.commit)});
  if (auto const* loop = s.as<For>())
    return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind,
                          with_commits(target, loop->body), loop->bind);
  if (auto const* alloc = s.as<Alloc>())
    return make_from<Alloc>(s->origin, alloc->buffer, with_commits(target, alloc->body));
  if (auto const* let = s.as<Let>())
    return make_from<Let>(s->origin, let->var, let->value, with_commits(target, let->body));
  auto const& node = s.to<If>();
  return make_from<If>(s->origin, node.condition, with_commits(target, node.then_body),
                       node.else_body ? with_commits(target, node.else_body) : Stmt());
}

/// Each copy is waited for where it is started.
class WaitingAtOnce : public Rewriter {
public:
  explicit WaitingAtOnce(Target const& target) : target_(target) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (starts_copy(s)) return seq({s, call_of(target_.commit), wait_for(target_, 0)});
    return is_launch(target_, s) ? s : rebuild(s);
  }

private:
  Target const& target_;
};

class Placing : public Rewriter {
public:
  Placing(Target const& target, Waits const& waits) : target_(target), waits_(waits) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto wait = waits_.find(s.get());
    if (wait == waits_.end()) return rebuild(s);
    auto const* alloc = s.as<Alloc>();
    if (!alloc || !holds_outside_launches(target_, s, is_commit))
      return seq({wait_for(target_, wait->second), s});
    Stmt body = seq({visit(alloc->body), wait_for(target_, wait->second)});
    return make_from<Alloc>(s->origin, alloc->buffer, body);
  }

private:
  Target const& target_;
  Waits const& waits_;
};

class Launches {
public:
  explicit Launches(Target const& target) : target_(target) {}

  /// Loops of threads stand around all that they do. What is between launches waits for its copies
  /// itself.
  Stmt visit(Stmt const& s, LoopsAround const& around) const {
    if (!holds(s, starts_copy)) return s;
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
    if (!holds_outside_launches(target_, s, starts_copy)) return s;
    Stmt body = with_commits(target_, s);
    auto waits = latest_waits(target_, body, around);
    if (!waits) return WaitingAtOnce(target_).visit(s);
    Stmt result = Placing(target_, *waits).visit(body);
    return waits->contains(nullptr) ? seq({result, wait_for(target_, 0)}) : result;
  }

  Target const& target_;
};

Result<KernelIr> run_insert_async_waits(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    if (!holds(function.body, starts_copy)) return next;
    if (!context.target.commit || !context.target.wait)
      return refused("no_waits", "the kernel starts asynchronous copies, but the target " +
                                     context.target.name + " cannot wait for them");
    next.body = Launches(context.target).visit(function.body, {});
    return next;
  });
}

}  // namespace

Pass insert_async_waits() {
  return {"insert_async_waits",
          "Groups asynchronous copies and inserts waits before use",
          "after thread loops were unified and before barriers are inserted: other threads see a "
          "copy only behind a barrier",
          run_insert_async_waits,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
