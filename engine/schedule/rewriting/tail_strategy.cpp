#include "engine/schedule/rewriting/tail_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kRoundCondition[] =
    "compute_at: with tail=round_up, what lies beyond the axis must be there to be read";
constexpr char kShiftCondition[] =
    "compute_at: with tail=shift_inwards, the last part must begin within the axis";

/// One of the spans, with its iterator and the first and last value that it may begin with.
struct Cut {
  IterVar const& iter;
  Span span;
  int64_t domain;
  arith::Interval begin;
  bool known;  ///< `begin` is

  bool is_ragged() const { return !known || begin.low < 0 || begin.high + span.extent > domain; }
};

std::vector<Cut> cuts_of(Block const& block, std::vector<Span> const& spans,
                         arith::Ranges const& ranges) {
  std::vector<Cut> cuts;
  for (IterVar const& iter : block.iters) {
    if (!may_be_cut(block, iter)) continue;
    Span const& span = spans[cuts.size()];
    auto begin = arith::bounds(arith::simplify(span.base, ranges), ranges);
    cuts.push_back({iter, span, as_int(iter.extent).value_or(0),
                    begin.value_or(arith::Interval{0, 0}), begin.has_value()});
  }
  return cuts;
}

std::expected<void, Refusal> begins_inside(Block const& block, Cut const& cut,
                                           char const* condition) {
  if (cut.known && cut.begin.low >= 0) return {};
  return refuse_stage("part_begins_before",
                      fmt::format("a part of {} may begin before the first value of {}", block.name,
                                  cut.iter.name()),
                      condition);
}

/// The least value that the span begins with beyond `limit`, and no other one beyond: as far as
/// its step tells.
bool one_value_beyond(Cut const& cut, int64_t limit) {
  arith::Linear base = arith::to_linear(cut.span.base);
  int64_t step = 0;
  for (auto const& term : base.terms) step = std::gcd(step, std::abs(term.factor));
  if (step == 0) return true;
  int64_t over = (cut.begin.high - base.constant) % step;
  if (over < 0) over += step;
  return cut.begin.high - (over == 0 ? step : over) <= limit;
}

/// The last part begins earlier by what it would reach too far: `last` is the value that only it
/// begins with, so that the quotient is 1 there and 0 before.
std::expected<Span, Refusal> shifted(Block const& block, Cut const& cut,
                                     arith::Ranges const& ranges) {
  if (auto inside = begins_inside(block, cut, kShiftCondition); !inside)
    return std::unexpected(inside.error());
  int64_t limit = cut.domain - cut.span.extent, last = cut.begin.high;
  if (limit < 0)
    return refuse_stage("part_longer_than_axis",
                        fmt::format("a part of {} has {} values of {}, which has {}", block.name,
                                    cut.span.extent, cut.iter.name(), cut.domain),
                        kShiftCondition);
  if (!one_value_beyond(cut, limit))
    return refuse_stage("several_tails",
                        fmt::format("more than one part of {} may reach beyond the end of {}",
                                    block.name, cut.iter.name()),
                        kShiftCondition);
  Expr is_last = floor_div(cut.span.base, int_imm(last));
  Expr base = cut.span.base - is_last * int_imm(last - limit);
  return Span{arith::simplify(base, ranges), cut.span.extent};
}

/// The block's reads as functions of its iterators alone, each with a domain as long as `domains`
/// says: loops that are named like them stand around.
struct Domain {
  std::vector<Stmt> loops;
  Stmt block;
  BlockSite site;
};

Domain over_iterators(Block const& block, std::map<std::string, int64_t> const& domains) {
  Domain all;
  std::vector<IterVar> iters = block.iters;
  for (IterVar& iter : iters) {
    std::string counter = iter.name() + " value";  // no name of a program's
    auto longer = domains.find(iter.name());
    int64_t extent = longer == domains.end() ? *as_int(iter.extent) : longer->second;
    iter.extent = int_imm(extent);
    iter.binding = var(counter);
    all.loops.push_back(make<For>(LoopId(), iter.binding, iter.extent, LoopKind::kSerial, Stmt()));
  }
  all.block = make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                               Expr(), block.init, block.body);
  all.site.block = &all.block.to<Block>();
  for (Stmt const& loop : all.loops) all.site.loops.push_back(&loop.to<For>());
  return all;
}

/// Some instance reads the tensor outside of the first `extent` values of a dimension, or may.
bool may_leave(BlockSite const& site, Access const& access, Expr const& index, int64_t extent,
               IntegerSets& sets) {
  for (bool above : {false, true}) {
    IntegerSystem system;
    LinearRows rows = free_loops(site, system);
    for (Expr const& condition : access.conditions) rows.add_condition(condition, system);
    auto row = rows.row_of(index, system);
    if (!row) return true;
    LinearRow outside{{}, above ? -extent : -1};
    outside.add(*row, above ? 1 : -1);
    system.not_negative.push_back(std::move(outside));
    if (sets.solve(system).solvable != Solvable::kNo) return true;
  }
  return false;
}

/// An access's elements are values of the system's first variables, one for each dimension.
bool add_elements(Access const& access, LinearRows rows, IntegerSystem& system) {
  for (size_t d = 0; d < access.indices.size(); ++d) {
    auto row = rows.row_of(access.indices[d], system);
    if (!row) return false;
    row->add({{{int(d), 1}}, 0}, -1);
    system.zero.push_back(std::move(*row));
  }
  return true;
}

/// What the blocks write may be no box: they leave some instances out, or take indices apart.
bool may_have_gaps(std::vector<BlockSite> const& writers) {
  return std::ranges::any_of(writers, [](BlockSite const& writer) {
    auto const* store = writer.block->body.as<Store>();
    return !store || writer.block->predicate ||
           std::ranges::any_of(store->indices, [](Expr const& e) { return !e.as<Variable>(); });
  });
}

/// Some block writes every element that is read: a layout in blocks has room that nobody fills.
bool reads_written_ones(Program const& program, BlockSite const& site, Access const& access,
                        IntegerSets& sets) {
  IntegerSystem elements;
  for (Expr const& extent : find_buffer(program, access.buffer)->shape)
    elements.variable(0, as_int(extent).value_or(kLargestRow) - 1);
  IntegerSystem need = elements;
  LinearRows rows = free_loops(site, need);
  for (Expr const& condition : access.conditions) rows.add_condition(condition, need);
  if (!add_elements(access, rows, need)) return false;
  std::vector<IntegerSystem> made;
  for (BlockSite const& writer : writers_of(program, access.buffer)) {
    IntegerSystem cover = elements;
    LinearRows loops = free_loops(writer, cover);
    for (Access const& store : accesses_of(writer)) {
      if (!store.writes || store.buffer != access.buffer) continue;
      if (loops.add_guard(writer.block->predicate, cover) && add_elements(store, loops, cover))
        made.push_back(std::move(cover));
      break;
    }
  }
  return sets.outside(need, made, int(access.indices.size())).solvable == Solvable::kNo;
}

std::expected<void, Refusal> reads_what_is_there(Program const& program, BlockSite const& site,
                                                 Domain const& domain, ProofBudget budget) {
  std::string const& own = written_buffer(site)->name;
  IntegerSets sets(budget);
  for (Access const& access : accesses_of(domain.site)) {
    if (access.writes || access.buffer == own) continue;
    std::vector<Expr> there = written_shape(program, *find_buffer(program, access.buffer));
    for (size_t d = 0; d < access.indices.size(); ++d) {
      int64_t extent = as_int(there[d]).value_or(0);
      if (may_leave(domain.site, access, access.indices[d], extent, sets))
        return refuse_stage(
            "reads_beyond",
            fmt::format("beyond the end of its axis, {} would read {} outside of the {} values "
                        "that dimension {} has",
                        site.block->name, access.buffer, extent, d),
            kRoundCondition);
    }
    if (may_have_gaps(writers_of(program, access.buffer)) &&
        !reads_written_ones(program, domain.site, access, sets))
      return refuse_stage(
          "reads_beyond",
          fmt::format(
              "beyond the end of its axis, {} would read elements of {} that are never written",
              site.block->name, access.buffer),
          kRoundCondition);
  }
  return {};
}

bool divides_by_data(Block const& block) {
  bool divides = false;
  walk_exprs(block.body, [&](Expr const& e) {
    auto const* node = e.as<Binary>();
    bool quotient = node && is_integer(node->a.type()) &&
                    (node->op == BinaryOp::kFloorDiv || node->op == BinaryOp::kFloorMod ||
                     node->op == BinaryOp::kDiv);
    divides = divides || (quotient && !as_int(node->b));
    return !divides;
  });
  return divides;
}

/// With the domains made longer, and room in the tensor for what they write.
Stmt with_room(Block const& block, Domain const& domain) {
  std::vector<IterVar> iters = block.iters;
  for (size_t i = 0; i < iters.size(); ++i) iters[i].extent = domain.site.block->iters[i].extent;
  auto const& store = block.body.to<Store>();
  BufferNode node = *store.buffer;
  arith::Ranges ranges = iterator_ranges(*domain.site.block);
  for (size_t d = 0; d < node.shape.size(); ++d) {
    auto reach = arith::bounds(arith::simplify(store.indices[d], ranges), ranges);
    int64_t has = as_int(node.shape[d]).value_or(0);
    if (reach && reach->high >= has) node.shape[d] = int_imm(reach->high + 1);
  }
  std::string name = node.name;
  auto room = std::make_shared<BufferNode const>(std::move(node));
  return make_from<Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                          block.predicate,
                          block.init ? replace_buffer(block.init, name, room) : Stmt(),
                          replace_buffer(block.body, name, room));
}

std::expected<Parts, Refusal> rounded_up(Program const& program, BlockSite const& site,
                                         std::vector<Cut> const& cuts,
                                         std::vector<Span> const& spans, ProofBudget budget) {
  Block const& block = *site.block;
  std::map<std::string, int64_t> domains;
  for (Cut const& cut : cuts) {
    if (!cut.is_ragged()) continue;
    if (auto inside = begins_inside(block, cut, kRoundCondition); !inside)
      return std::unexpected(inside.error());
    if (cut.iter.kind != IterKind::kSpatial)
      return refuse_stage(
          "not_a_spatial_axis",
          fmt::format("{} of {} is a recurrence: there are no steps beyond its last one",
                      cut.iter.name(), block.name),
          kRoundCondition);
    domains[cut.iter.name()] = cut.begin.high + cut.span.extent;
  }
  if (is_recurrence(site))
    return refuse_stage("reads_itself",
                        fmt::format("{} continues from what it has computed", block.name),
                        kRoundCondition);
  if (divides_by_data(block))
    return refuse_stage(
        "divides", fmt::format("{} divides integers, and what lies beyond may be 0", block.name),
        kRoundCondition);
  Domain domain = over_iterators(block, domains);
  if (budget != ProofBudget::kTrusted)
    if (auto there = reads_what_is_there(program, site, domain, budget); !there)
      return std::unexpected(there.error());
  return Parts{with_room(block, domain), spans};
}

}  // namespace

std::vector<std::string> tail_words() { return {"guard", "round_up", "shift_inwards"}; }

TailStrategy tail_strategy_of(std::string const& word) {
  std::vector<std::string> words = tail_words();
  return TailStrategy(std::ranges::find(words, word) - words.begin());
}

std::expected<Parts, Refusal> with_tail(TailStrategy tail, Program const& program,
                                        BlockSite const& site, std::vector<Span> const& spans,
                                        std::vector<For const*> const& still, ProofBudget budget) {
  Block const& block = *site.block;
  Parts parts{Stmt(site.block), spans};
  if (tail == TailStrategy::kGuard) return parts;
  arith::Ranges const ranges = ranges_of(still);
  std::vector<Cut> cuts = cuts_of(block, spans, ranges);
  if (std::ranges::none_of(cuts, &Cut::is_ragged))
    return refuse_stage("no_remainder",
                        fmt::format("every part of {} that is computed there is whole", block.name),
                        "compute_at: there is a tail only where the parts do not divide the axis");
  if (tail == TailStrategy::kRoundUp) return rounded_up(program, site, cuts, spans, budget);
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (!cuts[i].is_ragged()) continue;
    auto span = shifted(block, cuts[i], ranges);
    if (!span) return std::unexpected(span.error());
    parts.spans[i] = *span;
  }
  return parts;
}

Stmt nest_of_parts(TailStrategy tail, Parts const& parts, std::vector<For const*> const& around,
                   std::vector<std::string> taken, Program& program) {
  Stmt nest = nest_over(parts.block.to<Block>(), parts.spans, around, std::move(taken), program);
  if (tail != TailStrategy::kShiftInwards) return nest;
  // That a part stays inside of its axis is known here, and not to be seen from its bounds.
  Block const& block = *blocks_of(nest).front().block;
  return replace_block(nest, block.id,
                       make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                                        Expr(), block.init, block.body));
}

}  // namespace tw
