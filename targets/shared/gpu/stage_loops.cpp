#include "targets/shared/gpu/stage_loops.h"

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"

namespace tw::gpu {

using namespace ir;

std::optional<StageLoops> stage_loops(BlockSite const& site) {
  StageLoops loops;
  if (site.loops.size() != site.block->iters.size() || site.block->predicate) return std::nullopt;
  for (size_t i = 0; i < site.loops.size(); ++i) {
    auto extent = as_int(site.loops[i]->extent);
    IterKind kind = site.block->iters[i].kind;
    bool sums = kind == IterKind::kReduce;
    if (!extent || kind == IterKind::kOrdered || (!sums && !loops.reduce.empty()))
      return std::nullopt;
    (sums ? loops.reduce : loops.spatial).push_back(site.loops[i]->name());
    (sums ? loops.terms : loops.elements) *= *extent;
  }
  return loops;
}

namespace {

bool is_term(Block const& block, Expr const& index) {
  auto const* used = index.as<Variable>();
  return used && std::ranges::any_of(block.iters, [&](IterVar const& iter) {
           return iter.kind == IterKind::kReduce && iter.name() == used->name;
         });
}

bool uses_terms(Block const& block, Expr const& index) {
  return std::ranges::any_of(block.iters, [&](IterVar const& iter) {
    return iter.kind == IterKind::kReduce && uses_variable(index, iter.name());
  });
}

/// All reads of what differs between the terms of a sum.
template <typename F>
bool all_reads_of_terms(Block const& block, F const& holds) {
  auto sum = reduction_of(block);
  bool all = bool(sum), any = false;
  if (!sum) return false;
  walk_reads(sum->value, [&](Touched const& at) {
    if (std::ranges::none_of(at.indices, [&](Expr const& e) { return uses_terms(block, e); }))
      return;
    any = true;
    all = all && holds(at.indices.back());
  });
  return all && any;
}

}  // namespace

bool sums_along_rows(Block const& block) {
  return all_reads_of_terms(block, [&](Expr const& last) { return is_term(block, last); });
}

bool sums_along_columns(Block const& block) {
  return all_reads_of_terms(block, [&](Expr const& last) { return !uses_terms(block, last); });
}

std::vector<Load const*> multiplied_reads(Block const& block) {
  auto sum = reduction_of(block);
  auto const* times = sum && sum->op == BinaryOp::kAdd ? sum->value.as<Binary>() : nullptr;
  if (!times || times->op != BinaryOp::kMul) return {};
  std::vector<Load const*> reads;
  for (Expr const* side : {&times->a, &times->b}) {
    Expr const* e = side;
    while (auto const* converted = e->as<Cast>()) e = &converted->a;
    if (auto const* read = e->as<Load>()) reads.push_back(read);
  }
  return reads.size() == 2 ? reads : std::vector<Load const*>();
}

bool reads_where_it_writes(Block const& block, std::string const& tensor) {
  auto const* store = block.body.as<Store>();
  if (!store || block.init) return false;
  bool same = true;
  walk_reads(block.body, [&](Touched const& at) {
    if (at.buffer->name != tensor) return;
    same = same && at.indices.size() == store->indices.size();
    for (size_t d = 0; same && d < at.indices.size(); ++d)
      same = equal(at.indices[d], store->indices[d]);
  });
  return same;
}

}  // namespace tw::gpu
