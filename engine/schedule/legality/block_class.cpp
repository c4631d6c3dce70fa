#include "engine/schedule/legality/block_class.h"

#include <algorithm>
#include <functional>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

/// The body speaks of its iterators only, so that equal iterators mean an equal computation.
bool uses_iterators_only(BlockSite const& site) {
  std::set<std::string> loops;
  for (For const* loop : site.loops) loops.insert(loop->name());
  bool only = true;
  auto look = [&](Expr const& e) {
    if (auto const* v = e.as<Variable>()) only = only && !loops.contains(v->name);
    return only;
  };
  walk_exprs(site.block->body, look);
  if (site.block->init) walk_exprs(site.block->init, look);
  return only;
}

/// The init sets what the body updates, or there is none: another block sets it before.
bool starts_own_element(Block const& block, Store const& update) {
  if (!block.init) return true;
  auto const* init = block.init.as<Store>();
  if (!init || init->buffer->name != update.buffer->name) return false;
  for (size_t i = 0; i < init->indices.size(); ++i)
    if (!equal(init->indices[i], update.indices[i])) return false;
  return true;
}

/// Iterators of which the element that a store writes shows the value: indices of their own, or put
/// together from digits, as a layout does it.
std::set<std::string> shown_iterators(Block const& block, Store const& store) {
  arith::Ranges ranges = iterator_ranges(block);
  std::vector<Digit> digits;
  for (Expr const& index : store.indices)
    if (auto form = radix_form(index, ranges))
      digits.insert(digits.end(), form->digits.begin(), form->digits.end());
  std::set<std::string> shown;
  for (IterVar const& iter : block.iters)
    if (auto extent = as_int(iter.extent); extent && covers(digits, iter.name(), *extent))
      shown.insert(iter.name());
  for (Expr const& index : store.indices)
    if (auto const* v = index.as<Variable>()) shown.insert(v->name);
  for (JoinedLoops const& joined : joined_loops(store.indices, ranges))
    if (covers(store.indices, joined, ranges))
      for (Digit const& part : joined.parts) shown.insert(part.loop);
  return shown;
}

}  // namespace

std::optional<Substitution> iterators_at(Block const& block, std::vector<Expr> const& indices) {
  auto const* store = block.body.as<Store>();
  arith::Ranges ranges = iterator_ranges(block);
  Substitution values;
  for (IterVar const& iter : block.iters) {
    std::vector<Digit> digits;
    Expr value = int_imm(0);
    if (is_int(iter.extent, 1)) {
      values[iter.name()] = value;
      continue;
    }
    for (size_t d = 0; d < store->indices.size(); ++d) {
      auto form = radix_form(store->indices[d], ranges);
      bool one = form && form->digits.size() == 1 && form->constant == 0 &&
                 form->digits[0].loop == iter.name() && form->digits[0].factor == 1;
      if (!one) continue;
      digits.push_back(form->digits[0]);
      value = value + indices[d] * int_imm(form->digits[0].divide);
    }
    int64_t extent = as_int(iter.extent).value_or(0), last = 0;
    for (Digit const& digit : digits) last += digit.high * digit.divide;
    // A last block that is not full has elements that no instance makes.
    if (!tiles(digits, iter.name(), extent) || last != extent - 1) return std::nullopt;
    values[iter.name()] = value;
  }
  return values;
}

bool is_complete(BlockSite const& site) {
  std::set<std::string> written;
  walk(site.block->body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) written.insert(store->buffer->name);
    return true;
  });
  bool complete = !site.block->init;
  walk_reads(*site.block, [&](Touched const& read) {
    complete = complete && !written.contains(read.buffer->name);
  });
  // Two instances may share an element only if they compute the same value.
  auto const* store = site.block->body.as<Store>();
  if (!complete || !store) return false;
  std::set<std::string> shown = shown_iterators(*site.block, *store);
  for (IterVar const& iter : site.block->iters) {
    if (iter.kind == IterKind::kReduce || iter.kind == IterKind::kOpaque) return false;
    if (!shown.contains(iter.name()) && !is_int(iter.extent, 1)) return false;
  }
  return uses_iterators_only(site);
}

bool is_reduction(BlockSite const& site) {
  auto info = reduction_of(*site.block);
  if (!info || !uses_iterators_only(site) || !starts_own_element(*site.block, *info->store))
    return false;
  if (reads_itself(*site.block)) return false;
  for (IterVar const& iter : site.block->iters) {
    if (iter.kind == IterKind::kOpaque) return false;
    bool chooses = std::any_of(info->store->indices.begin(), info->store->indices.end(),
                               [&](Expr const& e) { return uses_variable(e, iter.name()); });
    if (iter.kind == IterKind::kReduce && chooses) return false;
  }
  // No two values of an iterator that chooses share an element.
  std::set<std::string> shown = shown_iterators(*site.block, *info->store);
  return std::ranges::all_of(site.block->iters, [&](IterVar const& iter) {
    return iter.kind == IterKind::kReduce || shown.contains(iter.name()) || is_int(iter.extent, 1);
  });
}

bool makes_tensor(BlockSite const& site) {
  return is_complete(site) || (site.block->init && is_reduction(site));
}

bool is_recurrence(BlockSite const& site) {
  auto const* store = site.block->body.as<Store>();
  if (!store || !uses_iterators_only(site)) return false;
  if (!starts_own_element(*site.block, *store)) return false;
  int ordered = 0;
  std::set<std::string> shown = shown_iterators(*site.block, *store);
  for (IterVar const& iter : site.block->iters) {
    if (iter.kind == IterKind::kReduce && site.block->init) continue;
    if (!shown.contains(iter.name()) ||
        (iter.kind != IterKind::kSpatial && iter.kind != IterKind::kOrdered))
      return false;
    ordered += iter.kind == IterKind::kOrdered;
  }
  return ordered == 1;
}

bool takes_turns(Block const& block) {
  auto const* store = block.body.as<Store>();
  if (!store) return false;
  std::vector<Expr> again;
  for (Expr const& index : store->indices)
    walk(index, [&](Expr const& e) {
      auto const* node = e.as<Binary>();
      if (node && node->op == BinaryOp::kFloorMod) again.push_back(index);
      return true;
    });
  bool ordered = std::ranges::any_of(
      block.iters, [](IterVar const& iter) { return iter.kind == IterKind::kOrdered; });
  if (again.empty() && !ordered) return false;
  std::set<std::string> shown = shown_iterators(block, *store);
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    if (shown.contains(iter.name()) || is_int(iter.extent, 1)) return false;
    return iter.kind == IterKind::kOrdered || std::ranges::any_of(again, [&](Expr const& index) {
             return uses_variable(index, iter.name());
           });
  });
}

bool settles(BlockSite const& site) {
  bool sums = site.block->init || std::ranges::any_of(site.block->iters, [](IterVar const& iter) {
                return iter.kind == IterKind::kReduce;
              });
  return is_complete(site) || (!sums && is_recurrence(site));
}

bool may_run_again(BlockSite const& site) { return makes_tensor(site) || is_recurrence(site); }

/// Some read of the block's own tensor differs from its store in a dimension that `counts`.
bool reads_elsewhere(Block const& block, std::function<bool(Expr const& index)> const& counts) {
  auto const* store = block.body.as<Store>();
  bool elsewhere = false;
  if (!store) return elsewhere;
  walk_exprs(block.body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && read->buffer->name == store->buffer->name)
      for (size_t d = 0; d < read->indices.size(); ++d)
        elsewhere =
            elsewhere || (!equal(read->indices[d], store->indices[d]) && counts(store->indices[d]));
    return !elsewhere;
  });
  return elsewhere;
}

bool reads_itself(Block const& block) {
  return reads_elsewhere(block, [](Expr const&) { return true; });
}

bool may_be_cut(Block const& block, IterVar const& iter) {
  if (iter.kind == IterKind::kOrdered) return !reads_itself(block);
  if (iter.kind != IterKind::kSpatial) return false;
  // A recurrence whose elements depend on others of the step before is made as a whole.
  return !reads_elsewhere(block, [&](Expr const& index) {
    auto const* v = index.as<Variable>();
    return v && std::ranges::any_of(block.iters, [&](IterVar const& other) {
             return other.kind == IterKind::kSpatial && other.name() == v->name;
           });
  });
}

bool feeds(Block const& block, For const& loop, bool reduce) {
  return std::any_of(block.iters.begin(), block.iters.end(), [&](IterVar const& iter) {
    return (iter.kind == IterKind::kReduce) == reduce && uses_variable(iter.binding, loop.name());
  });
}

Buffer written_buffer(BlockSite const& site) {
  auto const* store = site.block->body.as<Store>();
  return store ? store->buffer : nullptr;
}

}  // namespace tw
