#include "engine/analysis/footprint.h"

#include <algorithm>
#include <map>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {

int64_t footprint(ir::BlockSite const& site, size_t depth) {
  std::map<std::string, int64_t> inside;  // loop -> largest value
  for (size_t i = depth + 1; i < site.loops.size(); ++i)
    inside[site.loops[i]->name()] = ir::as_int(site.loops[i]->extent).value_or(1) - 1;
  std::map<std::string, ir::Expr> bindings;
  for (ir::IterVar const& iter : site.block->iters) bindings[iter.name()] = iter.binding;
  arith::Ranges ranges;
  for (size_t i = 0; i < site.loops.size(); ++i)
    ranges.set(site.loops[i]->name(), {0, i > depth ? inside[site.loops[i]->name()] : 0});
  std::map<std::string, int64_t> bytes;
  auto add = [&](ir::BufferNode const& buffer, std::vector<ir::Expr> const& indices) {
    int64_t box = size_of(buffer.type);
    for (size_t d = 0; d < indices.size(); ++d) {
      ir::Expr bound =
          ir::substitute(indices[d], ir::Substitution(bindings.begin(), bindings.end()));
      auto range = arith::bounds(bound, ranges);
      int64_t extent = ir::as_int(buffer.shape[d]).value_or(1);
      box *= range ? std::min(extent, range->high - range->low + 1) : extent;
    }
    bytes[buffer.name] = std::max(bytes[buffer.name], box);
  };
  ir::walk(site.block->body, [&](ir::Stmt const& s) {
    if (auto const* store = s.as<ir::Store>()) add(*store->buffer, store->indices);
    return true;
  });
  ir::walk_exprs(site.block->body, [&](ir::Expr const& e) {
    if (auto const* read = e.as<ir::Load>()) add(*read->buffer, read->indices);
    return true;
  });
  int64_t total = 0;
  for (auto const& [name, size] : bytes) total += size;
  return total;
}

}  // namespace tw::analysis
