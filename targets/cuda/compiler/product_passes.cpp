// for k: { wait_copies(1); barrier; product(k) }   -->   for k: { wait_copies(1); fence_shared;
// barrier; fence_products; product(k); commit_products } wait_products(0)
#include "targets/cuda/compiler/product_passes.h"

#include <algorithm>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "targets/cuda/compiler/warpgroup_units.h"

namespace tw::cuda {
namespace {

using namespace ir;

Result<KernelIr> run_insert_product_waits(KernelIr const& kernel, PassContext const& context) {
  return with_async_waits(kernel, context.target, product_queue());
}

Pass insert_product_waits() {
  return {"insert_product_waits",
          "Groups products of warpgroups and inserts waits before their sums are used",
          "after waits of copies and before barriers: what products read may be overwritten behind "
          "both",
          run_insert_product_waits,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

/// A fence is no wait: for others it is a group that nothing was started for.
Stmt fence(char const* name, char const* doc) {
  static constexpr char kFences[] = "fences";
  Intrinsic declared =
      *declare({.name = name, .doc = doc, .completion = Completion::kCommits, .queue = kFences});
  return make<IntrinsicCall>(declared, std::vector<Operand>());
}

/// Products and what belongs to them: it writes nothing to shared memory.
bool is_of_products(Stmt const& root) {
  bool only = true;
  walk(root, [&](Stmt const& s) {
    auto const* call = s.as<IntrinsicCall>();
    bool inner = s.as<For>() || s.as<Seq>() || s.as<If>();
    only = only && (call ? call->intrinsic->queue == product_queue().name : inner);
    return only;
  });
  return only;
}

bool is_barrier(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->barrier;
}

bool is_await(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kAwaits;
}

/// Before the first product of a group; and before threads meet that may have written to shared
/// memory since the last time, so that the unit sees it. What another role has written, or copied,
/// is fenced by those who have waited for it: a fence may stand anywhere between (PTX ISA,
/// Causality order), and who starts a copy cannot tell when it is there.
class Fencing : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (is_barrier(s)) return fenced(s);
    auto const* list = s.as<Seq>();
    return list ? visit_list(s, *list) : rebuild(s);
  }

private:
  static constexpr char kSharedDoc[] = "products see what the thread has written, or waited for";
  static Stmt fenced(Stmt const& barrier) {
    return seq({fence(kFenceShared, kSharedDoc), barrier});
  }

  Stmt visit_list(Stmt const& s, Seq const& list) {
    std::vector<Stmt> stmts;
    bool multiplies = holds(s, [](Stmt const& part) { return product_queue().starts(part); });
    bool has_written = true;
    for (Stmt const& child : list.stmts) {
      if (product_queue().commits(child)) {
        auto first = stmts.end();
        while (first != stmts.begin() && product_queue().starts_only(*(first - 1))) --first;
        stmts.insert(first, fence(kFenceProducts, "products see what registers hold"));
      }
      bool meets = is_barrier(child);
      if (is_await(child) && multiplies) {
        stmts.insert(stmts.end(), {child, fence(kFenceShared, kSharedDoc)});
        continue;
      }
      stmts.push_back(meets && !has_written ? child : visit(child));
      has_written = !meets && (has_written || !is_of_products(child));
    }
    return seq(std::move(stmts));
  }
};

Result<KernelIr> run_insert_product_fences(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    Function next = function;
    auto starts = [](Stmt const& s) { return product_queue().starts(s); };
    if (holds(function.body, starts)) next.body = Fencing().visit(function.body);
    return next;
  });
}

Pass insert_product_fences() {
  return {"insert_product_fences",
          "Inserts fences before products of warpgroups and before barriers",
          "after barriers: what threads wrote is there for products of others behind one",
          run_insert_product_fences,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

void insert_after(std::vector<Pass>& passes, std::string const& name, Pass pass) {
  auto at = std::ranges::find(passes, name, &Pass::name);
  passes.insert(at == passes.end() ? at : at + 1, std::move(pass));
}

}  // namespace

void add_product_passes(std::vector<Pass>& passes) {
  insert_after(passes, "insert_async_waits", insert_product_waits());
  insert_after(passes, "insert_barriers", insert_product_fences());
}

}  // namespace tw::cuda
