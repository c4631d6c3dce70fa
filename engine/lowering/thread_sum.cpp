#include "engine/lowering/thread_sum.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"

namespace tw {

using namespace ir;

bool is_part(Block const& block, For const& loop, bool reduce) {
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    return (iter.kind == IterKind::kReduce) == reduce && uses_variable(iter.binding, loop.name());
  });
}

FreshNames::FreshNames(Function const& function) {
  for (Buffer const& one : function.params) names_.insert(one->name);
  walk(function.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) names_.insert(alloc->buffer->name);
    if (auto const* loop = s.as<For>()) id_ = std::max(id_, loop->id.value + 1);
    if (auto const* block = s.as<Block>()) id_ = std::max(id_, block->id.value + 1);
    return true;
  });
}

std::string FreshNames::tensor(std::string const& wanted) {
  std::string name = wanted;
  for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

ThreadSumParts::ThreadSumParts(ThreadSum const& shared, Target const& target, FreshNames& fresh)
    : shared_(shared),
      block_(*shared.site.block),
      info_(*reduction_of(block_)),
      target_(target),
      fresh_(fresh) {
  for (size_t i = shared.first; i < shared.site.loops.size(); ++i)
    if (!is_part(block_, *shared.site.loops[i], true)) spatial_.push_back(shared.site.loops[i]);
  split_guard();
}

Stmt ThreadSumParts::of_its_own(For const& loop) {
  return make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, loop.body,
                        loop.bind);
}

Stmt ThreadSumParts::put(Stmt const& body, std::vector<Stmt> stmts) const {
  Stmt all = seq(std::move(stmts));
  for (Buffer const& one : tensors_) all = make<Alloc>(one, all);
  return replace_loop(body, shared_.site.loops[shared_.first]->id, in_a_launch(all));
}

Stmt ThreadSumParts::in_a_launch(Stmt const& s) const {
  auto axis = std::ranges::find(target_.axes, Level::kBlock, &ThreadAxis::level);
  if (bound_around() || axis == target_.axes.end()) return s;
  return make<For>(fresh_.loop(), var(shared_.bound->name() + "_block"), int_imm(1),
                   LoopKind::kBind, s, axis->name);
}

For const* ThreadSumParts::bound_around() const {
  for (size_t i = 0; i < shared_.first; ++i)
    if (shared_.site.loops[i]->loop_kind == LoopKind::kBind) return shared_.site.loops[i];
  return nullptr;
}

void ThreadSumParts::split_guard() {
  for (Expr const& part : conjuncts(block_.predicate)) {
    bool term = std::ranges::any_of(shared_.site.loops, [&](For const* loop) {
      return is_part(block_, *loop, true) && uses_variable(part, loop->name());
    });
    Expr& into = term ? chosen_ : guard_;
    into = both(into, part);
  }
}

Expr ThreadSumParts::both(Expr const& a, Expr const& b) {
  if (!a || !b) return a ? a : b;
  return a && b;
}

Buffer ThreadSumParts::tensor(int64_t count) {
  std::vector<int64_t> shape = *constant_shape(*info_.store->buffer);
  shape.insert(parts_last() ? shape.end() : shape.begin(), count);
  std::string name = fresh_.tensor(info_.store->buffer->name + "_parts");
  auto memory = std::ranges::find(target_.scopes, Level::kBlock, &MemoryScope::shared_by);
  tensors_.push_back(make_buffer(name, info_.store->buffer->type, shape, memory->name));
  return tensors_.back();
}

bool ThreadSumParts::parts_last() const {
  auto fastest = std::ranges::find(target_.axes, Level::kThread, &ThreadAxis::level);
  return shared_.bound->bind == fastest->name;
}

std::vector<Expr> ThreadSumParts::element(Expr const& part) const {
  std::vector<Expr> indices = info_.store->indices;
  indices.insert(parts_last() ? indices.end() : indices.begin(), part);
  return indices;
}

Expr ThreadSumParts::nothing() const { return neutral(info_.op, info_.store->buffer->type); }

std::vector<IterVar> ThreadSumParts::spatial_iters() const {
  std::vector<IterVar> iters;
  for (IterVar const& iter : block_.iters)
    if (iter.kind == IterKind::kSpatial) iters.push_back(iter);
  return iters;
}

Stmt ThreadSumParts::partial(Buffer const& parts, std::vector<Expr> const& at, Expr const& own,
                             int64_t threads, Expr const& chosen, Expr const& guard) {
  std::vector<IterVar> iters{{own, int_imm(threads), IterKind::kSpatial, shared_.bound->var, ""}};
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
  if (chosen) term = select(substitute(chosen, to_iters), term, nothing());
  Expr value = adds ? binary(info_.op, load(parts, at), term) : term;
  return make_from<Block>(block_.origin, fresh_.block(), parts->name, block_.op, std::move(iters),
                          guard, adds ? make<Store>(parts, at, nothing()) : Stmt(),
                          make<Store>(parts, at, value));
}

Expr ThreadSumParts::own() const { return var("v" + shared_.bound->name()); }

}  // namespace tw
