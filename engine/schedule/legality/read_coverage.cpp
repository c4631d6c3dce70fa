#include "engine/schedule/legality/read_coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

bool makes_every_element(BlockSite const& block) {
  double instances = 1, elements = 1;
  for (IterVar const& iter : block.block->iters)
    instances *= double(as_int(iter.extent).value_or(0));
  for (Expr const& extent : written_buffer(block)->shape)
    elements *= double(as_int(extent).value_or(-1));
  return instances == elements;
}

/// Some iteration of the reader asks for a value of the iterator outside of `low..high`.
Solvable leaves(BlockSite const& reader, Access const& access, Expr const& value, int64_t extent,
                IntegerSets& sets) {
  for (bool above : {false, true}) {
    IntegerSystem system;
    LinearRows rows(ranges_of(reader.loops));
    for (For const* loop : reader.loops)
      rows.set(loop->name(), system.variable(0, as_int(loop->extent).value_or(kLargestRow) - 1));
    rows.add_guard(reader.block->predicate, system);
    for (Expr const& condition : access.conditions) rows.add_condition(condition, system);
    auto row = rows.row_of(value, system);
    if (!row) return Solvable::kOutOfTime;
    LinearRow outside{{}, above ? -extent : -1};
    outside.add(*row, above ? 1 : -1);
    system.not_negative.push_back(std::move(outside));
    Solvable found = sets.solve(system).solvable;
    if (found != Solvable::kNo) return found;
  }
  return Solvable::kNo;
}

}  // namespace

std::expected<void, Refusal> reads_made_elements(BlockSite const& block,
                                                 std::vector<BlockSite> const& readers,
                                                 std::string const& verb, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted || makes_every_element(block)) return {};
  std::string tensor = written_buffer(block)->name;
  IntegerSets sets(budget);
  for (BlockSite const& reader : readers)
    for (Access const& access : accesses_of(reader)) {
      if (access.writes || access.buffer != tensor) continue;
      Substitution values = *iterators_at(*block.block, access.indices);
      for (IterVar const& iter : block.block->iters)
        if (leaves(reader, access, values.at(iter.name()), as_int(iter.extent).value_or(0), sets) !=
            Solvable::kNo)
          return refuse_stage(
              "reads_unmade",
              fmt::format("{} reads elements of {} that {} does not compute: they are only padding",
                          reader.block->name, tensor, block.block->name),
              verb + ": readers may only read elements that the block computes");
    }
  return {};
}

}  // namespace tw
