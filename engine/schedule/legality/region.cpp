#include "engine/schedule/legality/region.h"

#include <algorithm>

#include "engine/arith/span.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/digits.h"

namespace tw {
namespace {

using namespace ir;

/// The digits of the moving part count 0, 1, 2, ... without a gap, each value once.
bool is_dense(arith::Linear const& moving, std::vector<For const*> const& running) {
  auto form = radix_form(arith::to_expr(moving), ranges_of(running));
  if (!form) return false;
  int64_t reach = 1;
  for (Digit const& digit : form->digits) {
    if (digit.factor != reach || digit.divide != 1 || digit.modulo != 0) return false;
    reach *= digit.high + 1;
  }
  return true;
}

}  // namespace

std::optional<Span> span_of(std::vector<Expr> const& indices,
                            std::vector<For const*> const& running) {
  auto reach = arith::reach_of(indices, ranges_of(running));
  if (!reach) return std::nullopt;
  reach->still.constant += reach->low;
  return Span{arith::to_expr(reach->still), reach->high - reach->low + 1,
              reach->one && is_dense(reach->moving, running)};
}

std::vector<BufferAccess> accesses_to(BlockSite const& site, std::string const& buffer) {
  Substitution bindings;
  for (IterVar const& iter : site.block->iters) bindings[iter.name()] = iter.binding;
  std::vector<BufferAccess> found;
  auto add = [&](Buffer const& touched, std::vector<Expr> const& indices, bool writes) {
    if (touched->name != buffer) return;
    BufferAccess access{{}, writes};
    for (Expr const& index : indices)
      access.indices.push_back(arith::simplify(substitute(index, bindings), ranges_of(site.loops)));
    found.push_back(std::move(access));
  };
  for (Stmt const& part : {site.block->init, site.block->body}) {
    if (!part) continue;
    walk(part, [&](Stmt const& s) {
      if (auto const* store = s.as<Store>()) add(store->buffer, store->indices, true);
      return true;
    });
    walk_exprs(part, [&](Expr const& e) {
      if (auto const* read = e.as<Load>()) add(read->buffer, read->indices, false);
      return true;
    });
  }
  return found;
}

std::vector<Span> box_of(std::vector<BlockSite> const& sites, BufferNode const& buffer,
                         size_t still, bool writes) {
  std::vector<Span> box;
  std::vector<For const*> running;
  for (BlockSite const& site : sites)
    running.insert(running.end(), site.loops.begin() + int64_t(still), site.loops.end());
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    std::vector<Expr> indices;
    for (BlockSite const& site : sites)
      for (BufferAccess const& access : accesses_to(site, buffer.name))
        if (access.writes == writes) indices.push_back(access.indices[d]);
    int64_t whole = as_int(buffer.shape[d]).value_or(1);
    auto span = span_of(indices, running);
    box.push_back(span && span->extent < whole ? *span
                                               : Span{int_imm(0), whole, span && span->dense});
  }
  return box;
}

}  // namespace tw
