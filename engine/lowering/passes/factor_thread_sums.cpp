// for(threadIdx.x) t: S += x[t]   -->   for(threadIdx.x) t: P[t] = x[t]; tree: S = P[0] + P[1] ..
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kLastParts = 16;  // that one thread adds at the end

bool is_part(Block const& block, For const& loop, bool reduce) {
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    return (iter.kind == IterKind::kReduce) == reduce && uses_variable(iter.binding, loop.name());
  });
}

/// A sum with a reduction loop that is bound to threads.
struct Shared {
  BlockSite site;
  size_t first = 0;            ///< of the site's loops, the outermost one of the sum
  For const* bound = nullptr;  ///< the outermost one that is bound
};

std::optional<Shared> next_shared(Stmt const& body, Target const& target) {
  for (BlockSite const& site : blocks_of(body)) {
    if (!site.block->init || !reduction_of(*site.block)) continue;
    Shared shared{site};
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

/// Names and ids that nothing in the kernel has.
class Fresh {
public:
  explicit Fresh(Function const& function) {
    for (Buffer const& one : function.params) names_.insert(one->name);
    walk(function.body, [&](Stmt const& s) {
      if (auto const* alloc = s.as<Alloc>()) names_.insert(alloc->buffer->name);
      if (auto const* loop = s.as<For>()) id_ = std::max(id_, loop->id.value + 1);
      if (auto const* block = s.as<Block>()) id_ = std::max(id_, block->id.value + 1);
      return true;
    });
  }
  std::string tensor(std::string const& wanted) {
    std::string name = wanted;
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }
  LoopId loop() { return {id_++}; }
  BlockId block() { return {id_++}; }

private:
  std::set<std::string> names_;
  decltype(LoopId::value) id_ = 1;
};

/// One sum becomes a part for each thread, and the sum of these.
class Factoring {
public:
  Factoring(Shared const& shared, Target const& target, Fresh& fresh)
      : shared_(shared),
        block_(*shared.site.block),
        info_(*reduction_of(block_)),
        target_(target),
        fresh_(fresh) {
    for (size_t i = shared.first; i < shared.site.loops.size(); ++i)
      if (!is_part(block_, *shared.site.loops[i], true)) spatial_.push_back(shared.site.loops[i]);
    split_guard();
  }

  Stmt run(Stmt const& body) {
    For const& first = *shared_.site.loops[shared_.first];
    int64_t count = as_int(shared_.bound->extent).value_or(1);
    Buffer parts = tensor(count);
    std::vector<Stmt> stmts{replace_block(of_its_own(first), block_.id, partial(parts))};
    while (count > kLastParts) {
      int64_t fewer = std::max(kLastParts, (count + kLastParts - 1) / kLastParts);
      Buffer next = tensor(fewer);
      stmts.push_back(step(parts, count, next, fewer));
      parts = next;
      count = fewer;
    }
    stmts.push_back(last(parts, count));
    Stmt all = seq(std::move(stmts));
    for (Buffer const& one : tensors_) all = make<Alloc>(one, all);
    return replace_loop(body, first.id, in_a_launch(all));
  }

private:
  static Stmt of_its_own(For const& loop) {
    return make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, loop.body,
                          loop.bind);
  }

  /// What follows each other is one launch: without a loop of blocks around there is one block.
  Stmt in_a_launch(Stmt const& s) {
    bool around =
        std::any_of(shared_.site.loops.begin(), shared_.site.loops.begin() + int64_t(shared_.first),
                    [](For const* loop) { return loop->loop_kind == LoopKind::kBind; });
    auto axis = std::ranges::find(target_.axes, Level::kBlock, &ThreadAxis::level);
    if (around || axis == target_.axes.end()) return s;
    return make<For>(fresh_.loop(), var(shared_.bound->name() + "_block"), int_imm(1),
                     LoopKind::kBind, s, axis->name);
  }

  /// A term that a guard leaves out is one that changes nothing: each part must be set.
  void split_guard() {
    for (Expr const& part : conjuncts(block_.predicate)) {
      bool term = std::ranges::any_of(shared_.site.loops, [&](For const* loop) {
        return is_part(block_, *loop, true) && uses_variable(part, loop->name());
      });
      Expr& into = term ? chosen_ : guard_;
      into = into ? into && part : part;
    }
  }

  Buffer tensor(int64_t count) {
    std::vector<int64_t> shape = *constant_shape(*info_.store->buffer);
    shape.insert(parts_last() ? shape.end() : shape.begin(), count);
    std::string name = fresh_.tensor(info_.store->buffer->name + "_parts");
    auto memory = std::ranges::find(target_.scopes, Level::kBlock, &MemoryScope::shared_by);
    tensors_.push_back(make_buffer(name, info_.store->buffer->type, shape, memory->name));
    return tensors_.back();
  }

  /// Threads side by side have their parts side by side: no two of them want one bank.
  bool parts_last() const {
    auto fastest = std::ranges::find(target_.axes, Level::kThread, &ThreadAxis::level);
    return shared_.bound->bind == fastest->name;
  }

  std::vector<Expr> element(Expr const& part) const {
    std::vector<Expr> indices = info_.store->indices;
    indices.insert(parts_last() ? indices.end() : indices.begin(), part);
    return indices;
  }
  Expr nothing() const { return neutral(info_.op, info_.store->buffer->type); }
  std::vector<IterVar> spatial_iters() const {
    std::vector<IterVar> iters;
    for (IterVar const& iter : block_.iters)
      if (iter.kind == IterKind::kSpatial) iters.push_back(iter);
    return iters;
  }

  /// What a thread adds.
  Stmt partial(Buffer const& parts) {
    Expr own = var("v" + shared_.bound->name());
    std::vector<IterVar> iters{
        {own, shared_.bound->extent, IterKind::kSpatial, shared_.bound->var, ""}};
    for (IterVar& iter : spatial_iters()) iters.push_back(std::move(iter));
    Substitution to_iters{{shared_.bound->name(), own}}, values;
    bool adds = false;
    for (size_t i = shared_.first; i < shared_.site.loops.size(); ++i) {
      For const& loop = *shared_.site.loops[i];
      if (&loop == shared_.bound || !is_part(block_, loop, true)) continue;
      Expr iter = var("v" + loop.name());
      iters.push_back({iter, loop.extent, IterKind::kReduce, loop.var, ""});
      to_iters[loop.name()] = iter;
      adds = true;
    }
    for (IterVar const& iter : block_.iters)
      if (iter.kind == IterKind::kReduce) values[iter.name()] = substitute(iter.binding, to_iters);
    Expr term = substitute(info_.value, values);
    if (chosen_) term = select(substitute(chosen_, to_iters), term, nothing());
    std::vector<Expr> at = element(own);
    Expr value = adds ? binary(info_.op, load(parts, at), term) : term;
    return make_from<Block>(block_.origin, fresh_.block(), parts->name, block_.op, std::move(iters),
                            guard_, adds ? make<Store>(parts, at, nothing()) : Stmt(),
                            make<Store>(parts, at, value));
  }

  /// `fewer` threads add every `fewer`-th of the parts.
  Stmt step(Buffer const& parts, int64_t count, Buffer const& next, int64_t fewer) {
    Expr thread = var(shared_.bound->name()), turn = var(turn_name());
    Expr own = var("v" + shared_.bound->name()), term = var("v" + turn_name());
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

  Shared const& shared_;
  Block const& block_;
  ReductionInfo const info_;
  Target const& target_;
  Fresh& fresh_;
  std::vector<For const*> spatial_;  // inside of the sum's outermost loop
  Expr guard_, chosen_;              // of the block: without loops of the sum, and with them
  std::vector<Buffer> tensors_;
};

Result<KernelIr> run_factor_thread_sums(KernelIr const& kernel, PassContext const& context) {
  auto memory = std::ranges::find(context.target.scopes, Level::kBlock, &MemoryScope::shared_by);
  if (!context.target.sums_over_threads || memory == context.target.scopes.end()) return kernel;
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    Fresh fresh(function);
    while (auto shared = next_shared(next.body, context.target))
      next.body = Factoring(*shared, context.target, fresh).run(next.body);
    return next;
  });
}

}  // namespace

Pass factor_thread_sums() {
  return {"factor_thread_sums",
          "Shares sums among threads: each adds a part, and a tree adds the parts",
          "first: it needs blocks that start their sums",
          run_factor_thread_sums,
          {.needs = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
