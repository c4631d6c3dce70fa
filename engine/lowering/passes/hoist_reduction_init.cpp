// for k: S: if k == 0: T = 0; T += x   -->   T = 0; for k: T += x
#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/annotations.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kLargestExtent = int64_t(1) << 31;

struct Roles {
  bool spatial = false;
  bool reduce = false;
};

Roles roles_of(Block const& block, For const& loop) {
  Roles roles;
  for (IterVar const& iter : block.iters) {
    if (!uses_variable(iter.binding, loop.name())) continue;
    (iter.kind == IterKind::kReduce ? roles.reduce : roles.spatial) = true;
  }
  return roles;
}

Stmt without_init(Block const& block) {
  return make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                          block.predicate, Stmt(), block.body);
}

/// The block that only initializes: reduce iterators are gone, their loops stand at 0. Words are
/// about what the block stores in the end.
Stmt init_block(Block const& block, Substitution const& zeros) {
  std::vector<IterVar> iters;
  for (IterVar const& iter : block.iters) {
    if (iter.kind == IterKind::kReduce) continue;
    iters.push_back(iter);
    iters.back().binding = substitute(iter.binding, zeros);
  }
  Expr predicate = block.predicate ? arith::simplify(substitute(block.predicate, zeros)) : nullptr;
  if (predicate && is_int(predicate, 1)) predicate = nullptr;
  return make_from<Block>(without_words(block.origin), block.id, block.name + "_init", block.op,
                          std::move(iters), predicate, Stmt(), block.init);
}

/// Where a loop carries both kinds of iterators the init stays inside, under a condition.
Stmt guarded(Block const& block) {
  Substitution to_bindings;
  Expr first = bool_imm(true);
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kReduce)
      first = first && binary(BinaryOp::kEq, iter.binding, int_imm(0));
  Expr predicate = block.predicate ? block.predicate && first : first;
  std::vector<IterVar> spatial;
  for (IterVar const& iter : block.iters)
    if (iter.kind != IterKind::kReduce) spatial.push_back(iter);
  Stmt init = make_from<Block>(without_words(block.origin), block.id, block.name + "_init",
                               block.op, std::move(spatial), predicate, Stmt(), block.init);
  return seq({init, without_init(block)});
}

/// Values at which a digit of a counted loop begins again: divisors, and products of them.
std::set<int64_t> turns_of(Expr const& counted, int64_t extent) {
  std::set<int64_t> turns;
  walk(counted, [&](Expr const& e) {
    auto const* binary = e.as<Binary>();
    bool divides =
        binary && (binary->op == BinaryOp::kFloorDiv || binary->op == BinaryOp::kFloorMod);
    auto by = divides ? as_int(binary->b) : std::nullopt;
    std::set<int64_t> known = turns;
    if (by && *by > 1 && *by < extent) turns.insert(*by);
    for (int64_t turn : known)
      if (by && *by > 1 && *by <= (extent - 1) / turn) turns.insert(turn * *by);
    return true;
  });
  return turns;
}

/// The sum starts at the loop's first iteration and at no later one.
bool starts_once(Block const& block, For const& loop, arith::Ranges ranges) {
  int64_t extent = as_int(loop.extent).value_or(kLargestExtent);
  Expr counted;
  for (IterVar const& iter : block.iters)
    if (iter.kind == IterKind::kReduce) counted = counted ? counted + iter.binding : iter.binding;
  std::set<int64_t> turns = turns_of(counted, extent);
  turns.insert(extent);
  for (int64_t low = 1; int64_t turn : turns) {
    ranges.set(loop.name(), {low, turn - 1});
    if (low < turn && !arith::always(int_imm(1) <= counted, ranges)) return false;
    low = turn;
  }
  return true;
}

/// Where it is not known that they start the sum once, they start it where they are.
bool start_once(BlockSite const& site) {
  arith::Ranges ranges;
  for (For const* loop : site.loops)
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(kLargestExtent) - 1});
  return std::ranges::all_of(site.loops, [&](For const* loop) {
    return !roles_of(*site.block, *loop).reduce || starts_once(*site.block, *loop, ranges);
  });
}

/// The first iteration of the loops adds the first term. A part that was cut off a sum begins
/// later: its start stays where it is, under its condition, which does not hold there.
bool begins_with_the_first(BlockSite const& site) {
  Substitution zeros;
  for (For const* loop : site.loops)
    if (roles_of(*site.block, *loop).reduce) zeros[loop->name()] = int_imm(0);
  return std::ranges::all_of(site.block->iters, [&](IterVar const& iter) {
    return iter.kind != IterKind::kReduce ||
           is_int(arith::simplify(substitute(iter.binding, zeros)), 0);
  });
}

/// All tensors that the start of a sum reads, and the one that it writes.
std::set<std::string> tensors_of_start(Block const& block) {
  std::set<std::string> tensors;
  auto note = [&](Touched const& at) { tensors.insert(at.buffer->name); };
  walk_writes(block.init, note);
  walk_reads(block.init, note);
  if (block.predicate) walk_reads(block.predicate, note);
  for (IterVar const& iter : block.iters)
    if (iter.kind != IterKind::kReduce) walk_reads(iter.binding, note);
  return tensors;
}

bool allocates(Stmt const& body, std::set<std::string> const& tensors) {
  bool found = false;
  walk(body, [&](Stmt const& s) {
    auto const* alloc = s.as<Alloc>();
    return found = found || (alloc && tensors.contains(alloc->buffer->name)), !found;
  });
  return found;
}

std::set<std::string> written_by(Stmt const& s) {
  std::set<std::string> tensors;
  walk_writes(s, [&](Touched const& at) { tensors.insert(at.buffer->name); });
  return tensors;
}

/// A block that comes before this one in the loop uses a tensor of its start: it reads the sums
/// that were made before these, or makes what the start is made of. Other parts of the sums do not.
bool used_before(For const& loop, Block const& block, std::set<std::string> const& tensors) {
  std::set<std::string> sums = written_by(block.init);
  for (BlockSite const& other : blocks_of(loop.body)) {
    if (other.block->id == block.id) return false;
    if (reduction_of(*other.block) && written_by(other.block->body) == sums) continue;
    bool used = false;
    auto look = [&](Touched const& at) { used = used || tensors.contains(at.buffer->name); };
    walk_reads(other.block->body, look);
    walk_writes(other.block->body, look);
    if (used) return true;
  }
  return false;
}

using Loops = std::vector<For const*>;

/// The loop that the start may stand before: the outermost reduction loop inside of which no tensor
/// of the start is allocated. In loops around the allocation each iteration has its own tensor.
Loops::const_iterator outermost_reduction(BlockSite const& site,
                                          std::set<std::string> const& tensors) {
  return std::find_if(site.loops.begin(), site.loops.end(), [&](For const* loop) {
    return roles_of(*site.block, *loop).reduce && !allocates(loop->body, tensors);
  });
}

/// What stands in the way of a start before `first`.
bool stays_inside(BlockSite const& site, Loops::const_iterator first,
                  std::set<std::string> const& tensors) {
  Block const& block = *site.block;
  bool own_tensors = std::any_of(site.loops.begin(), first, [&](For const* loop) {
    return roles_of(block, *loop).reduce && !is_int(loop->extent, 1);
  });
  bool mixed = std::any_of(first, site.loops.end(), [&](For const* loop) {
    Roles r = roles_of(block, *loop);
    return r.reduce && r.spatial;
  });
  // A loop that no iterator is a part of, and of which the guard lets one iteration run.
  bool chosen = std::any_of(first, site.loops.end(), [&](For const* loop) {
    Roles r = roles_of(block, *loop);
    return !r.reduce && !r.spatial && block.predicate &&
           uses_variable(block.predicate, loop->name());
  });
  bool used = first != site.loops.end() && used_before(**first, block, tensors);
  return own_tensors || mixed || chosen || used || !start_once(site) ||
         !begins_with_the_first(site);
}

Stmt hoisted(Stmt const& body, BlockSite const& site) {
  Block const& block = *site.block;
  std::set<std::string> tensors = tensors_of_start(block);
  auto first = outermost_reduction(site, tensors);
  if (stays_inside(site, first, tensors)) return replace_block(body, block.id, guarded(block));
  Substitution zeros;
  std::vector<For const*> kept;
  for (auto at = first; at != site.loops.end(); ++at) {
    if (roles_of(block, **at).spatial)
      kept.push_back(*at);
    else  // a loop of no axis may be in the guard, which leaves it its first iteration
      zeros[(*at)->name()] = int_imm(0);
  }
  Stmt init = init_block(block, zeros);
  for (size_t i = kept.size(); i-- > 0;)
    init = make_from<For>(kept[i]->origin, kept[i]->id, kept[i]->var, kept[i]->extent,
                          kept[i]->loop_kind, init, kept[i]->bind);
  if (first == site.loops.end())
    return replace_block(body, block.id, seq({init, without_init(block)}));
  Stmt loop =
      replace_block(make_from<For>((*first)->origin, (*first)->id, (*first)->var, (*first)->extent,
                                   (*first)->loop_kind, (*first)->body, (*first)->bind),
                    block.id, without_init(block));
  return replace_loop(body, (*first)->id, seq({init, loop}));
}

Stmt all_hoisted(Stmt body) {
  while (true) {
    auto blocks = blocks_of(body);
    auto next = std::find_if(blocks.begin(), blocks.end(),
                             [](BlockSite const& site) { return bool(site.block->init); });
    if (next == blocks.end()) return body;
    body = hoisted(body, *next);
  }
}

Result<KernelIr> run_hoist_reduction_init(KernelIr const& kernel, PassContext const&) {
  return rewrite_bodies(kernel, all_hoisted);
}

}  // namespace

Pass hoist_reduction_init() {
  return {"hoist_reduction_init",
          "Moves the initialization of a reduction before its outermost reduction loop",
          "first: it needs blocks, which tell spatial from reduction axes",
          run_hoist_reduction_init,
          {.needs = {Invariant::kLoopsOnce},
           .gives = {Invariant::kNoInits},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
