// copy(0); for k: { copy(k+1); use(k) }   -->   copy(0); commit; for k: { copy(k+1); commit;
// wait(1); use(k) }
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/copy_course.h"
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

/// Copies that follow one another are one group.
Stmt with_commits(Target const& target, Stmt const& s) {
  if (!holds(s, starts_copy)) return s;
  if (copies_only(s)) return seq({s, call_of(target.commit)});
  if (auto const* list = s.as<Seq>()) {
    std::vector<Stmt> stmts;
    for (size_t i = 0; i < list->stmts.size(); ++i) {
      Stmt const& child = list->stmts[i];
      bool goes_on =
          copies_only(child) && i + 1 < list->stmts.size() && copies_only(list->stmts[i + 1]);
      stmts.push_back(goes_on ? child : with_commits(target, child));
    }
    return seq(std::move(stmts));
  }
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
Stmt waiting_at_once(Target const& target, Stmt const& body) {
  return rewrite_stmts(body, [&](Stmt const& s) -> Stmt {
    return starts_copy(s) ? seq({s, call_of(target.commit), wait_for(target, 0)}) : Stmt();
  });
}

class Placing : public Rewriter {
public:
  Placing(Target const& target, Waits const& waits) : target_(target), waits_(waits) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto wait = waits_.find(s.get());
    if (wait == waits_.end()) return rebuild(s);
    return seq({wait_for(target_, wait->second), s});
  }

private:
  Target const& target_;
  Waits const& waits_;
};

class Launches {
public:
  explicit Launches(Target const& target) : target_(target) {}

  /// Loops of threads stand around all that they do.
  Stmt visit(Stmt const& s, std::vector<For const*>& threads) {
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    if (loop && axis && holds(s, starts_copy)) {
      if (axis->level == Level::kThread) threads.push_back(loop);
      Stmt body = visit(loop->body, threads);
      return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind, body,
                            loop->bind);
    }
    if (!threads.empty() || !holds_launch(s)) return placed(s, threads);
    // What is between launches waits for its copies itself.
    struct Inside : Rewriter {
      Launches* launches;
      Expr visit(Expr const& e) override { return e; }
      Stmt visit(Stmt const& part) override {
        std::vector<For const*> none;
        return launches->visit(part, none);
      }
    } inside;
    inside.launches = this;
    return inside.rebuild(s);
  }

private:
  bool holds_launch(Stmt const& s) const {
    bool found = false;
    walk(s, [&](Stmt const& part) {
      auto const* loop = part.as<For>();
      return found = found || (loop && axis_of(target_, *loop)), !found;
    });
    return found;
  }

  Stmt placed(Stmt const& s, std::vector<For const*> const& threads) const {
    if (!holds(s, starts_copy)) return s;
    Stmt body = with_commits(target_, s);
    auto waits = latest_waits(target_, body, threads);
    if (!waits) return waiting_at_once(target_, s);
    Stmt result = Placing(target_, *waits).visit(body);
    return waits->contains(nullptr) ? seq({result, wait_for(target_, 0)}) : result;
  }

  Target const& target_;
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    if (!holds(function.body, starts_copy)) return next;
    if (!context.target.commit || !context.target.wait)
      return refused("no_waits", "the kernel starts copies, but the target " + context.target.name +
                                     " cannot wait for them");
    std::vector<For const*> threads;
    next.body = Launches(context.target).visit(function.body, threads);
    return next;
  });
}

}  // namespace

Pass place_waits() {
  return {"place_waits",
          "Groups the copies that go on while others compute, and waits for each where it is used",
          "after threads were launched and before barriers are placed: what was waited for is for "
          "others behind a barrier only",
          run,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
