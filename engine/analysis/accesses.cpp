#include "engine/analysis/touched.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {

using namespace ir;

std::vector<TensorAccess> accesses_of(BlockSite const& site) {
  Substitution bindings;
  for (IterVar const& iter : site.block->iters) bindings[iter.name()] = iter.binding;
  arith::Ranges ranges;
  for (For const* loop : site.loops)
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
  auto reduction = reduction_of(*site.block);
  std::vector<TensorAccess> accesses;
  auto add = [&](Buffer const& buffer, std::vector<Expr> const& indices, bool writes) {
    TensorAccess access{buffer, {}, writes, false};
    access.update = reduction && reduction->store->buffer->name == buffer->name;
    for (Expr const& index : indices)
      access.indices.push_back(arith::simplify(substitute(index, bindings), ranges));
    accesses.push_back(std::move(access));
  };
  walk_writes(site.block->body, [&](ir::Touched const& at) { add(at.buffer, at.indices, true); });
  walk_reads(site.block->body, [&](ir::Touched const& at) { add(at.buffer, at.indices, false); });
  return accesses;
}

}  // namespace tw::analysis
