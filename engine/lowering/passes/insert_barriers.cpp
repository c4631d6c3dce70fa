// S[t] = ..; .. = S[t + 1]   -->   S[t] = ..; barrier; .. = S[t + 1]
#include <algorithm>

#include "engine/ir/accesses.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/async_copy_order.h"
#include "engine/lowering/launch_order.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/thread_races.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

/// A statement with its barriers: what its threads touch before the first, which must not come too
/// early, and after the last, which must have happened before others go on. Without a barrier that
/// is all they touch.
struct Placed {
  Stmt stmt;
  bool meets = false;
  std::vector<ThreadAccess> leading, trailing;
};

void append(std::vector<ThreadAccess>& to, std::vector<ThreadAccess> const& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The body of one launch's threads, in loops of `blocks`. A barrier stands as late as it may, and
/// as far out: before the first statement of a sequence that touches what another thread touched
/// since the last one, or at the end of a loop whose next iteration does.
class Placing {
public:
  Placing(Target const& target, Threads threads, std::vector<For const*> blocks)
      : target_(target), meetings_(target, std::move(threads)), around_{std::move(blocks), {}} {}

  Placed place_launch(Stmt const& body) {
    launch_ = body;
    return place(body);
  }

private:
  Placed place(Stmt const& s) {
    if (auto const* list = s.as<Seq>()) return place_list(*list);
    if (auto const* loop = s.as<For>(); loop && loop->loop_kind != LoopKind::kVector)
      return place_loop(s, *loop);
    if (auto const* node = s.as<If>()) return place_if(s, *node);
    if (auto const* alloc = s.as<Alloc>()) {
      Placed body = place(alloc->body);
      body.stmt = make_from<Alloc>(s->origin, alloc->buffer, body.stmt);
      return body;
    }
    Placed leaf{s, has_barrier(s), {}, {}};
    // Until then a copy that was started may still be about to read and write. Nobody has to be
    // done before: waits stand so that no thread touches what is under way.
    if (auto const* call = s.as<IntrinsicCall>();
        call && call->intrinsic->completion == Completion::kWaits)
      leaf.trailing = meetings_.landing(launch_, call->intrinsic->queue, around_);
    else if (!leaf.meets)
      leaf.leading = leaf.trailing = meetings_.accesses(s, around_);
    return leaf;
  }

  Stmt barrier() const { return make<IntrinsicCall>(target_.barrier, std::vector<Operand>()); }

  bool meet(std::vector<ThreadAccess> const& earlier, std::vector<ThreadAccess> const& later,
            Order order) {
    return std::ranges::any_of(earlier, [&](ThreadAccess const& a) {
      return std::ranges::any_of(later, [&](ThreadAccess const& b) {
        return meetings_.meet(a, b, around_.loops.size(), order);
      });
    });
  }

  Placed place_list(Seq const& list) {
    Placed result;
    std::vector<Stmt> stmts;
    for (Stmt const& child : list.stmts) {
      Placed next = place(child);
      if (meet(result.trailing, next.leading, Order::kSameIteration)) {
        stmts.push_back(barrier());
        result.meets = true;
        result.trailing.clear();
      }
      if (!result.meets) append(result.leading, next.leading);
      if (next.meets) result.trailing.clear();
      append(result.trailing, next.trailing);
      result.meets = result.meets || next.meets;
      stmts.push_back(next.stmt);
    }
    result.stmt = seq(std::move(stmts));
    return result;
  }

  Placed place_loop(Stmt const& s, For const& loop) {
    around_.loops.push_back(&loop);
    Placed result = place(loop.body);
    around_.loops.pop_back();
    Order order = result.meets ? Order::kNextIteration : Order::kLaterIteration;
    if (!is_int(loop.extent, 1) && meet(result.trailing, result.leading, order)) {
      result.stmt = seq({result.stmt, barrier()});
      result.meets = true;
      result.trailing.clear();
    }
    if (result.meets) at_iteration(result.leading, loop, int_imm(0));
    if (result.meets) at_iteration(result.trailing, loop, loop.extent - int_imm(1));
    result.stmt = make_from<For>(s->origin, loop.id, loop.var, loop.extent, loop.loop_kind,
                                 result.stmt, loop.bind);
    return result;
  }

  /// Where threads meet in a loop, only its first iteration comes before they do, and its last one
  /// after.
  static void at_iteration(std::vector<ThreadAccess>& accesses, For const& loop, Expr const& one) {
    Substitution by{{loop.name(), one}};
    for (ThreadAccess& access : accesses) {
      std::erase(access.place.loops, &loop);
      for (auto* list : {&access.indices, &access.place.conditions})
        for (Expr& e : *list) e = substitute(e, by);
    }
  }

  /// No thread may miss a barrier: it does not stand below a condition.
  Placed place_if(Stmt const& s, If const& node) {
    around_.conditions.push_back(node.condition);
    Placed result = place(node.then_body);
    around_.conditions.pop_back();
    Placed other;
    if (node.else_body) {
      around_.conditions.push_back(opposite(node.condition));
      other = place(node.else_body);
      around_.conditions.pop_back();
    }
    if (!result.meets && !other.meets) {
      append(result.leading, other.leading);
      append(result.trailing, other.trailing);
      result.stmt = s;
      return result;
    }
    std::vector<Stmt> sides{sunk(result.stmt, node.condition)};
    if (other.stmt) sides.push_back(sunk(other.stmt, unary(UnaryOp::kNot, node.condition)));
    if (!other.stmt) return {sides[0], true, result.leading, result.trailing};
    return place_list(Seq(std::move(sides)));
  }

  static Stmt sunk(Stmt const& s, Expr const& condition) {
    if (auto const* call = s.as<IntrinsicCall>(); call && call->intrinsic->barrier) return s;
    if (!has_barrier(s)) return make_from<If>(s->origin, condition, s);
    if (auto const* list = s.as<Seq>()) {
      std::vector<Stmt> stmts;
      for (Stmt const& child : list->stmts) stmts.push_back(sunk(child, condition));
      return seq(std::move(stmts));
    }
    if (auto const* loop = s.as<For>())
      return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind,
                            sunk(loop->body, condition), loop->bind);
    if (auto const* alloc = s.as<Alloc>())
      return make_from<Alloc>(s->origin, alloc->buffer, sunk(alloc->body, condition));
    auto const& node = s.to<If>();
    return sunk(node.then_body, binary(BinaryOp::kAnd, condition, node.condition));
  }

  Target const& target_;
  ThreadRaces meetings_;
  AccessPlace around_;
  Stmt launch_;
};

class Launches : public Rewriter {
public:
  explicit Launches(Target const& target) : target_(target) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target_, *loop) : nullptr;
    if (axis && axis->level == Level::kThread) {
      // Roles have all that they need; below, it is proven.
      if (holds(s, [](Stmt const& part) { return has_phases(part); })) return s;
      Threads threads;
      return with_barriers(s, threads);
    }
    if (loop) around_.push_back(loop);
    Stmt next = rebuild(s);
    if (loop) around_.pop_back();
    return next;
  }

private:
  Stmt with_barriers(Stmt const& s, Threads& threads) {
    auto const* loop = s.as<For>();
    if (!loop || loop->loop_kind != LoopKind::kBind)
      return Placing(target_, threads, around_).place_launch(s).stmt;
    threads.push_back({loop->name(), as_int(loop->extent).value_or(1)});
    Stmt body = with_barriers(loop->body, threads);
    return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind, body,
                          loop->bind);
  }
  Target const& target_;
  std::vector<For const*> around_;
};

/// What threads touch is asked of loops and their counters alone.
Stmt without_lets(Stmt const& body) {
  return rewrite_stmts(body, [](Stmt const& s) -> Stmt {
    auto const* let = s.as<Let>();
    return let ? substitute(let->body, {{let->var.to<Variable>().name, let->value}}) : Stmt();
  });
}

Result<KernelIr> run_insert_barriers(KernelIr const& kernel, PassContext const& context) {
  if (!context.target.barrier) return kernel;
  KernelIr placed = rewrite_bodies(
      kernel, [&](Stmt const& body) { return Launches(context.target).visit(without_lets(body)); });
  // Of barriers and waits together, by who knows nothing of how they are placed.
  LaunchOrder order = launch_order(context.target, placed);
  if (order.faults.empty()) return placed;
  return refused(order.faults[0].code, order.faults[0].sentence);
}

}  // namespace

Pass insert_barriers() {
  return {"insert_barriers",
          "Inserts barriers where threads access what another one accessed since the last barrier",
          "after thread loops were unified: the accesses of each thread are known",
          run_insert_barriers,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
