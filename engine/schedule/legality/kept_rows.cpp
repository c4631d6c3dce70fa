#include "engine/schedule/legality/kept_rows.h"

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"

namespace tw {
namespace {

using namespace ir;

bool same_iterators(Block const& a, Block const& b) {
  return std::ranges::equal(a.iters, b.iters, [](IterVar const& x, IterVar const& y) {
    return x.name() == y.name() && equal(x.extent, y.extent);
  });
}

/// What the block stores is told by its iterators alone, and by other tensors.
bool is_told_by_iterators(BlockSite const& site, std::string const& tensor) {
  std::set<std::string> names;
  for (IterVar const& iter : site.block->iters) names.insert(iter.name());
  bool only = !site.block->init;
  walk_exprs(site.block->body, [&](Expr const& e) {
    if (auto const* v = e.as<Variable>()) only = only && names.contains(v->name);
    if (auto const* read = e.as<Load>()) only = only && read->buffer->name != tensor;
    return only;
  });
  return only;
}

/// One variable for each dimension, for the element that an access touches.
std::vector<int> element_of(BufferNode const& tensor, IntegerSystem& system) {
  std::vector<int> element;
  for (Expr const& extent : tensor.shape)
    element.push_back(system.variable(0, as_int(extent).value_or(kLargestRow) - 1));
  return element;
}

/// The access touches the element. False: a part of that was left out.
bool touches(Access const& access, std::vector<int> const& element, LinearRows rows,
             Expr const& guard, IntegerSystem& system) {
  bool exact = rows.add_guard(guard, system);
  for (Expr const& condition : access.conditions)
    exact = rows.add_condition(condition, system) && exact;
  for (size_t d = 0; d < element.size(); ++d) {
    auto row = rows.row_of(access.indices[d], system);
    if (row) row->add({{{element[d], 1}}, 0}, -1);
    if (row) system.zero.push_back(std::move(*row));
    exact = exact && row;
  }
  return exact;
}

LinearRows rows_in(BlockSite const& site, std::vector<int> const& outer, IntegerSystem& system) {
  LinearRows rows(ranges_of(site.loops));
  for (size_t i = 0; i < site.loops.size(); ++i)
    rows.set(site.loops[i]->name(),
             i < outer.size() ? outer[i] : variable_for(*site.loops[i], system));
  return rows;
}

}  // namespace

bool keeps_its_rows(Program const& program, std::string const& tensor, LoopSite const& loop) {
  std::vector<BlockSite> writers = writers_of(program, tensor);
  if (writers.size() != 2 || is_allocated_in(loop.loop->body, tensor)) return false;
  BlockSite const &first = writers[0], &next = writers[1];
  return is_under(next, loop.loop->id) && !is_under(first, loop.loop->id) &&
         same_iterators(*first.block, *next.block) && equal(first.block->body, next.block->body) &&
         is_told_by_iterators(first, tensor) && is_told_by_iterators(next, tensor);
}

bool goes_on_in_its_row(BlockSite const& block, size_t dimension) {
  if (!is_recurrence(block)) return false;
  auto const& store = block.block->body.to<Store>();
  bool own = true;
  walk_exprs(block.block->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && read->buffer->name == store.buffer->name)
      own = own && equal(read->indices[dimension], store.indices[dimension]);
    return own;
  });
  return own;
}

bool reads_what_is_written(BlockSite const& reader, BlockSite const& writer, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return true;
  Buffer tensor = written_buffer(writer);
  std::vector<Access> made = accesses_of(writer);
  auto store = std::ranges::find_if(made, [](Access const& access) { return access.writes; });
  if (!tensor || store == made.end()) return false;
  IntegerSystem base;
  std::vector<int> outer, element;
  for (size_t i = 0; i < shared_loops(reader.loops, writer.loops); ++i)
    outer.push_back(variable_for(*reader.loops[i], base));
  element = element_of(*tensor, base);
  IntegerSystem cover = base;
  LinearRows writing = rows_in(writer, outer, cover);
  if (!touches(*store, element, writing, writer.block->predicate, cover)) return false;
  IntegerSets sets(budget);
  for (Access const& access : accesses_of(reader)) {
    if (access.writes || access.buffer != tensor->name) continue;
    IntegerSystem need = base;
    LinearRows reading = rows_in(reader, outer, need);
    touches(access, element, reading, reader.block->predicate, need);  // more is no harm
    if (sets.outside(need, {cover}, int(base.variables.size())).solvable != Solvable::kNo)
      return false;
  }
  return true;
}

}  // namespace tw
