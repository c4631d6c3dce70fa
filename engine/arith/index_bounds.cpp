#include "engine/arith/index_bounds.h"

#include <algorithm>

#include "engine/ir/rewrite.h"

namespace tw::arith {
namespace {

struct Parts {
  Linear still, moving;
};

std::optional<Parts> parts_of(Expr const& index, Ranges const& running) {
  Linear all = to_linear(index);
  Parts parts;
  parts.moving.constant = all.constant;
  for (auto const& term : all.terms) {
    bool runs = false, stands = false;
    ir::walk(term.term, [&](Expr const& e) {
      if (auto const* v = e.as<ir::Variable>()) (running.find(v->name) ? runs : stands) = true;
      return true;
    });
    if (runs && stands) return std::nullopt;
    (runs ? parts.moving : parts.still).terms.push_back(term);
  }
  return parts;
}

}  // namespace

std::optional<IndexBounds> index_bounds_of(std::vector<Expr> const& indices,
                                           Ranges const& running) {
  std::optional<IndexBounds> reach;
  for (Expr const& index : indices) {
    auto parts = parts_of(index, running);
    auto range = parts ? bounds(to_expr(parts->moving), running) : std::nullopt;
    if (!range) return std::nullopt;
    if (!reach) {
      reach = IndexBounds{parts->still, range->low, range->high, parts->moving, true};
      continue;
    }
    if (!ir::equal(to_expr(reach->still), to_expr(parts->still))) return std::nullopt;
    reach->one = reach->one && ir::equal(to_expr(reach->moving), to_expr(parts->moving));
    reach->low = std::min(reach->low, range->low);
    reach->high = std::max(reach->high, range->high);
  }
  return reach;
}

std::optional<IndexBounds> index_bounds_of(std::vector<Expr> const& indices, Ranges const& running,
                                           Ranges const& standing) {
  if (auto reach = index_bounds_of(indices, running)) return reach;
  std::optional<IndexBounds> all;
  for (Expr const& index : indices) {
    auto reach = index_bounds_of({index}, running);
    if (!reach) return std::nullopt;
    if (!all) {
      all = reach;
      continue;
    }
    auto apart = bounds(simplify(to_expr(add(reach->still, all->still, -1)), standing), standing);
    if (!apart) return std::nullopt;
    all->one = false;
    all->low = std::min(all->low, reach->low + apart->low);
    all->high = std::max(all->high, reach->high + apart->high);
  }
  return all;
}

}  // namespace tw::arith
