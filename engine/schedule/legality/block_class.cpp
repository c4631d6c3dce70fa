#include "engine/schedule/legality/block_class.h"

#include <algorithm>
#include <functional>
#include <set>

#include "engine/ir/rewrite.h"

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

}  // namespace

bool is_complete(BlockSite const& site) {
  std::set<std::string> written;
  walk(site.block->body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) written.insert(store->buffer->name);
    return true;
  });
  bool complete = !site.block->init;
  walk_exprs(site.block->body, [&](Expr const& e) {
    if (auto const* read = e.as<Load>())
      complete = complete && !written.contains(read->buffer->name);
    return complete;
  });
  // Two instances may share an element only if they compute the same value.
  auto const* store = site.block->body.as<Store>();
  if (!complete || !store) return false;
  for (IterVar const& iter : site.block->iters) {
    bool indexes = std::any_of(store->indices.begin(), store->indices.end(), [&](Expr const& e) {
      auto const* v = e.as<Variable>();
      return v && v->name == iter.name();
    });
    if (iter.kind == IterKind::kReduce || iter.kind == IterKind::kOpaque) return false;
    if (!indexes && !is_int(iter.extent, 1)) return false;
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
  // Each iterator that chooses is an index of its own, so that no two of its values share an
  // element.
  for (IterVar const& iter : site.block->iters) {
    bool alone =
        std::any_of(info->store->indices.begin(), info->store->indices.end(), [&](Expr const& e) {
          auto const* v = e.as<Variable>();
          return v && v->name == iter.name();
        });
    if (iter.kind != IterKind::kReduce && !alone && !is_int(iter.extent, 1)) return false;
  }
  return true;
}

bool makes_tensor(BlockSite const& site) {
  return is_complete(site) || (site.block->init && is_reduction(site));
}

bool is_recurrence(BlockSite const& site) {
  auto const* store = site.block->body.as<Store>();
  if (!store || !uses_iterators_only(site)) return false;
  if (site.block->init && !(reduction_of(*site.block) && starts_own_element(*site.block, *store)))
    return false;
  int ordered = 0;
  for (IterVar const& iter : site.block->iters) {
    if (iter.kind == IterKind::kReduce && site.block->init) continue;
    bool indexes = std::ranges::any_of(store->indices, [&](Expr const& e) {
      auto const* v = e.as<Variable>();
      return v && v->name == iter.name();
    });
    if (!indexes || (iter.kind != IterKind::kSpatial && iter.kind != IterKind::kOrdered))
      return false;
    ordered += iter.kind == IterKind::kOrdered;
  }
  return ordered == 1;
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
