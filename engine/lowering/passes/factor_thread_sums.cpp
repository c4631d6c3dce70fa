// for(threadIdx.x) t: S += x[t]   -->   for(threadIdx.x) t: P[t] = x[t]; tree: S = P[0] + P[1] ..
// with shuffles   -->   for(threadIdx.x) t: { P = x[t]; Q = P of t ^ 16; P += Q; Q = P of t ^ 8 ..
// }
#include <algorithm>
#include <optional>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/shuffled_sum.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kLastParts = 16;  // that one thread adds at the end

std::optional<ThreadSum> next_shared(Stmt const& body, Target const& target) {
  for (BlockSite const& site : blocks_of(body)) {
    if (!site.block->init || !reduction_of(*site.block)) continue;
    ThreadSum shared{site};
    while (shared.first < site.loops.size() &&
           !is_part(*site.block, *site.loops[shared.first], true))
      ++shared.first;
    for (size_t i = shared.first; i < site.loops.size(); ++i) {
      ThreadAxis const* axis = axis_of(target, *site.loops[i]);
      if (!axis || axis->level != Level::kThread || axis->interleaved ||
          !is_part(*site.block, *site.loops[i], true))
        continue;
      shared.bound = site.loops[i];
      return shared;
    }
  }
  return std::nullopt;
}

/// A tree in the memory that threads share.
class Tree : ThreadSumParts {
public:
  using ThreadSumParts::ThreadSumParts;

  Stmt run(Stmt const& body) {
    int64_t count = as_int(shared_.bound->extent).value_or(1);
    Buffer parts = tensor(count);
    std::vector<Stmt> stmts{
        replace_block(of_its_own(*shared_.site.loops[shared_.first]), block_.id,
                      partial(parts, element(own()), own(), count, chosen_, guard_))};
    while (count > kLastParts) {
      int64_t fewer = std::max(kLastParts, (count + kLastParts - 1) / kLastParts);
      Buffer next = tensor(fewer);
      stmts.push_back(step(parts, count, next, fewer));
      parts = next;
      count = fewer;
    }
    stmts.push_back(last(parts, count));
    return put(body, std::move(stmts));
  }

private:
  /// `fewer` threads add every `fewer`-th of the parts.
  Stmt step(Buffer const& parts, int64_t count, Buffer const& next, int64_t fewer) {
    Expr thread = var(shared_.bound->name()), turn = var(turn_name());
    Expr own = this->own(), term = var("v" + turn_name());
    int64_t turns = (count + fewer - 1) / fewer;
    std::vector<IterVar> iters{{own, int_imm(fewer), IterKind::kSpatial, thread, ""}};
    for (IterVar& iter : spatial_iters()) iters.push_back(std::move(iter));
    iters.push_back({term, int_imm(turns), IterKind::kReduce, turn, ""});
    Expr part = term * int_imm(fewer) + own;
    Expr value = load(parts, element(part));
    if (count % fewer != 0)
      value = select(binary(BinaryOp::kLt, part, int_imm(count)), value, nothing());
    std::vector<Expr> at = element(own);
    Stmt body = make_from<Block>(block_.origin, fresh_.block(), next->name, block_.op,
                                 std::move(iters), guard_, make<Store>(next, at, nothing()),
                                 make<Store>(next, at, binary(info_.op, load(next, at), value)));
    body = make<For>(fresh_.loop(), turn, int_imm(turns), LoopKind::kSerial, body);
    body = make<For>(fresh_.loop(), thread, int_imm(fewer), LoopKind::kBind, body,
                     shared_.bound->bind);
    return in_spatial_loops(body);
  }

  /// What is left, in the sum itself.
  Stmt last(Buffer const& parts, int64_t count) {
    Expr turn = var(shared_.bound->name()), term = var("v" + shared_.bound->name());
    std::vector<IterVar> iters = spatial_iters();
    iters.push_back({term, int_imm(count), IterKind::kReduce, turn, ""});
    Expr sum = load(info_.store->buffer, info_.store->indices);
    Stmt body = make_from<Block>(block_.origin, block_.id, block_.name, block_.op, std::move(iters),
                                 guard_, block_.init,
                                 make<Store>(info_.store->buffer, info_.store->indices,
                                             binary(info_.op, sum, load(parts, element(term)))));
    return in_spatial_loops(
        make<For>(fresh_.loop(), turn, int_imm(count), LoopKind::kSerial, body));
  }

  Stmt in_spatial_loops(Stmt body) {
    for (size_t i = spatial_.size(); i-- > 0;)
      body = make_from<For>(spatial_[i]->origin, fresh_.loop(), spatial_[i]->var,
                            spatial_[i]->extent, spatial_[i]->loop_kind, body, spatial_[i]->bind);
    return body;
  }

  std::string turn_name() const { return shared_.bound->name() + "_turn"; }
};

Stmt factored(Stmt const& body, ThreadSum const& shared, Target const& target, FreshNames& fresh) {
  ShuffledSum shuffled(shared, target, fresh);
  return shuffled.applies() ? shuffled.run(body) : Tree(shared, target, fresh).run(body);
}

Result<KernelIr> run_factor_thread_sums(KernelIr const& kernel, PassContext const& context) {
  auto memory = std::ranges::find(context.target.scopes, Level::kBlock, &MemoryScope::shared_by);
  if (!context.target.sums_over_threads || memory == context.target.scopes.end()) return kernel;
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    FreshNames fresh(function);
    while (auto shared = next_shared(next.body, context.target))
      next.body = factored(next.body, *shared, context.target, fresh);
    return next;
  });
}

}  // namespace

Pass factor_thread_sums() {
  return {"factor_thread_sums",
          "Shares sums among threads: each adds a part, and shuffles or a tree add the parts",
          "first: it needs blocks that start their sums",
          run_factor_thread_sums,
          {.needs = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
