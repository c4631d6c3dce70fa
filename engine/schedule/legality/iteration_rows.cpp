#include "engine/schedule/legality/iteration_rows.h"

#include <fmt/format.h>

#include "engine/ir/stmt.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {

using namespace ir;

int variable_for(For const& loop, IntegerSystem& system) {
  return system.variable(0, as_int(loop.extent).value_or(kLargestRow) - 1);
}

bool add_run(BlockSite const& site, LinearRows loops, LinearRows const& iters,
             IntegerSystem& system) {
  for (IterVar const& iter : site.block->iters) {
    auto row = loops.row_of(iter.binding, system);
    if (!row) return false;
    row->add({{{iters.variable(iter.name()), 1}}, 0}, -1);
    system.zero.push_back(std::move(*row));
  }
  return loops.add_guard(site.block->predicate, system);
}

LinearRows free_loops(BlockSite const& site, IntegerSystem& system) {
  LinearRows rows(ranges_of(site.loops));
  for (For const* loop : site.loops) rows.set(loop->name(), variable_for(*loop, system));
  return rows;
}

LinearRows free_iters(Block const& block, IntegerSystem& system) {
  LinearRows rows(iterator_ranges(block));
  for (IterVar const& iter : block.iters)
    rows.set(iter.name(), system.variable(0, as_int(iter.extent).value_or(kLargestRow) - 1));
  return rows;
}

Iteration iteration_at(BlockSite const& site, LinearRows const& loops,
                       std::vector<int64_t> const& solution) {
  Iteration iteration;
  for (For const* loop : site.loops)
    iteration.loops.push_back({loop->name(), solution[size_t(loops.variable(loop->name()))]});
  return iteration;
}

std::string to_text(Iteration const& iteration) {
  std::string text;
  for (auto const& [name, value] : iteration.loops)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "the only iteration" : text;
}

}  // namespace tw
