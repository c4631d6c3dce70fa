// for i in 4: T[i] = T[i]+X[k]   -->   unroll i in 4: T[i] = T[i]+X[k]
#include <optional>

#include "engine/ir/annotations.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Statements that a loop may become. LLVM and ptxas would decide by sizes of their own; the sums
/// of a thread, 8 x 8 at most, stay in registers only if their loops are written out.
constexpr int64_t kMostStatements = 128;
/// One of the thread's own under a condition counts as so many: its copies share nothing.
constexpr int64_t kGuarded = 4;
/// One without anything of the thread's own counts as so many: what it loads waits in registers
/// until it is stored.
constexpr int64_t kOutside = 8;

class Choosing : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    auto const* loop = s.as<For>();
    bool open = loop && loop->loop_kind == LoopKind::kSerial && annotations_text(*loop).empty();
    if (!open) return rebuild(s);
    Stmt next = rebuild(s);
    if (!is_small(s)) return next;
    auto const& inner = next.to<For>();
    return make_from<For>(loop->origin, loop->id, loop->var, loop->extent, LoopKind::kUnroll,
                          inner.body, loop->bind);
  }

private:
  static bool is_small(Stmt const& loop) {
    auto statements = written_out(loop, 1);
    return statements && *statements <= kMostStatements;
  }

  /// Statements when all loops below are written out, one of the thread's own counted as `own`;
  /// nothing where a loop stays, or where threads wait for one another.
  static std::optional<int64_t> written_out(Stmt const& s, int64_t own) {
    if (!s) return 0;
    if (auto const* loop = s.as<For>()) {
      auto extent = as_int(loop->extent);
      auto inside = written_out(loop->body, own);
      bool stays = loop->loop_kind == LoopKind::kBind || loop->loop_kind == LoopKind::kParallel;
      return extent && inside && !stays ? std::optional(*extent * *inside) : std::nullopt;
    }
    if (auto const* alloc = s.as<Alloc>()) return written_out(alloc->body, own);
    if (auto const* let = s.as<Let>()) return written_out(let->body, own);
    if (auto const* test = s.as<If>())
      return sum(written_out(test->then_body, kGuarded), written_out(test->else_body, kGuarded));
    if (auto const* store = s.as<Store>()) return touches_own(*store) ? own : kOutside;
    if (auto const* call = s.as<IntrinsicCall>())
      return computes_own(*call) ? std::optional(own) : std::nullopt;
    auto const* list = s.as<Seq>();
    if (!list) return 1;
    std::optional<int64_t> all = 0;
    for (Stmt const& child : list->stmts) all = sum(all, written_out(child, own));
    return all;
  }

  static bool is_own(BufferNode const& tensor) {
    return tensor.scope != kGlobalScope && tensor.scope != kSharedScope;
  }
  /// Nobody waits for it, and what it writes is the thread's own.
  static bool computes_own(IntrinsicCall const& call) {
    if (call.intrinsic->barrier || call.intrinsic->completion != Completion::kAtOnce) return false;
    bool own = true, writes = false;
    walk_writes(make<IntrinsicCall>(call.intrinsic, call.operands), [&](Touched const& at) {
      own = own && is_own(*at.buffer);
      writes = true;
    });
    return own && writes;
  }
  static bool touches_own(Store const& store) {
    bool own = is_own(*store.buffer);
    walk(store.value, [&](Expr const& e) {
      auto const* read = e.as<Load>();
      return own = own || (read && is_own(*read->buffer)), !own;
    });
    return own;
  }

  static std::optional<int64_t> sum(std::optional<int64_t> a, std::optional<int64_t> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
};

Result<KernelIr> run_choose_unrolled_loops(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, [](Stmt const& body) { return Choosing().visit(body); });
}

}  // namespace

Pass choose_unrolled_loops() {
  return {"choose_unrolled_loops",
          "Marks small loops as unrolled, so that what a thread keeps can be in registers",
          "last of what changes loops: their sizes count",
          run_choose_unrolled_loops,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw
