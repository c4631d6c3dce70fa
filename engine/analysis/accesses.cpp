#include "engine/ir/accesses.h"

#include "engine/analysis/touched.h"
#include "engine/arith/simplify.h"
#include "engine/ir/stmt.h"

namespace tw::analysis {

using namespace ir;

std::vector<TensorAccess> accesses_of(BlockSite const& site) {
  arith::Ranges ranges;
  for (For const* loop : site.loops)
    ranges.set(loop->name(), {0, as_int(loop->extent).value_or(1) - 1});
  auto reduction = reduction_of(*site.block);
  std::vector<TensorAccess> accesses;
  for (BlockAccess& one : ir::accesses_of(*site.block)) {
    if (one.part != BlockPart::kBody) continue;
    bool update = reduction && reduction->store->buffer->name == one.buffer->name;
    for (Expr& index : one.indices) index = arith::simplify(index, ranges);
    accesses.push_back(
        {std::move(one.buffer), std::move(one.indices), one.kind == AccessKind::kWrite, update});
  }
  return accesses;
}

}  // namespace tw::analysis
