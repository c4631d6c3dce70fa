#include "engine/schedule/legality/instances.h"

#include <fmt/format.h>

#include <optional>

#include "engine/ir/stmt.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

std::string instance_text(Block const& block, std::vector<int64_t> const& values) {
  std::string text;
  for (size_t i = 0; i < block.iters.size(); ++i)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", block.iters[i].name(), values[i]);
  return text.empty() ? "its only instance" : text;
}

/// An instance that the first one runs and the second one does not: nothing when that is not
/// decided, empty when there is none.
std::optional<std::vector<int64_t>> instance_of(BlockSite const& runs, BlockSite const& lacks,
                                                IntegerSets& sets) {
  IntegerSystem base;
  LinearRows iters = free_iters(*runs.block, base);
  IntegerSystem need = base, cover = base;
  if (!add_run(runs, free_loops(runs, need), iters, need) ||
      !add_run(lacks, free_loops(lacks, cover), iters, cover))
    return std::nullopt;
  Solution found = sets.outside(need, {cover}, int(base.variables.size()));
  if (found.solvable == Solvable::kOutOfTime) return std::nullopt;
  if (found.solvable == Solvable::kNo) return std::vector<int64_t>{};
  // A block without iterators has one instance.
  return found.values.empty() ? std::vector<int64_t>{0} : found.values;
}

/// Two iterations that run one instance and differ first in the loop `level`.
InstanceAnswer repeats_at(BlockSite const& site, size_t level, IntegerSets& sets) {
  IntegerSystem system;
  LinearRows first = free_loops(site, system), second(ranges_of(site.loops));
  for (size_t i = 0; i < site.loops.size(); ++i) {
    For const& loop = *site.loops[i];
    second.set(loop.name(), i < level ? first.variable(loop.name()) : variable_for(loop, system));
  }
  std::string const& name = site.loops[level]->name();
  system.not_negative.push_back({{{second.variable(name), 1}, {first.variable(name), -1}}, -1});
  LinearRows iters = free_iters(*site.block, system);
  if (!add_run(site, first, iters, system) || !add_run(site, second, iters, system))
    return {
        "", "",
        fmt::format("the iterators of {} are not linear in the loop variables", site.block->name)};
  Solution again = sets.solve(system);
  if (again.solvable == Solvable::kNo) return {};
  if (again.solvable == Solvable::kOutOfTime)
    return {"", "", "the integer-set solver gave no answer in time"};
  return {"terms_twice",
          fmt::format("{} would add the same term in iterations {} and {}", site.block->name,
                      to_text(iteration_at(site, first, again.values)),
                      to_text(iteration_at(site, second, again.values))),
          ""};
}

/// No instance runs twice.
InstanceAnswer come_once(BlockSite const& site, IntegerSets& sets) {
  if (runs_once(site, site.loops)) return {};
  for (size_t level = 0; level < site.loops.size(); ++level)
    if (InstanceAnswer again = repeats_at(site, level, sets);
        !again.code.empty() || !again.unknown.empty())
      return again;
  return {};
}

}  // namespace

bool runs_each_once(BlockSite const& site, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return true;
  IntegerSets sets(budget);
  InstanceAnswer answer = come_once(site, sets);
  return answer.code.empty() && answer.unknown.empty();
}

bool runs_with(BlockSite const& first, BlockSite const& second, size_t shared, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return true;
  auto const *made = first.block->body.as<Store>(), *same = second.block->body.as<Store>();
  if (!made || !same || made->indices.size() != same->indices.size()) return false;
  IntegerSystem base;
  std::vector<int> outer;
  for (size_t i = 0; i < shared; ++i) outer.push_back(variable_for(*first.loops[i], base));
  LinearRows second_iters = free_iters(*second.block, base);
  auto loops_of = [&](BlockSite const& site, IntegerSystem& system) {
    LinearRows rows(ranges_of(site.loops));
    for (size_t i = 0; i < site.loops.size(); ++i)
      rows.set(site.loops[i]->name(), i < shared ? outer[i] : variable_for(*site.loops[i], system));
    return rows;
  };
  IntegerSystem need = base, cover = base;
  LinearRows iters = second_iters, first_iters = free_iters(*first.block, need);
  if (!add_run(first, loops_of(first, need), first_iters, need) ||
      !add_run(second, loops_of(second, cover), second_iters, cover))
    return false;
  for (size_t d = 0; d < made->indices.size(); ++d) {
    auto one = first_iters.row_of(made->indices[d], need);
    auto other = one ? iters.row_of(same->indices[d], need) : std::nullopt;
    if (!other) return false;
    one->add(*other, -1);
    need.zero.push_back(std::move(*one));
  }
  IntegerSets sets(budget);
  return sets.outside(need, {cover}, int(base.variables.size())).solvable == Solvable::kNo;
}

bool runs_all_of(BlockSite const& site, std::vector<arith::Interval> const& domains,
                 ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return true;
  IntegerSets sets(budget);
  IntegerSystem need;
  LinearRows iters(iterator_ranges(*site.block));
  for (size_t i = 0; i < domains.size(); ++i)
    iters.set(site.block->iters[i].name(), need.variable(domains[i].low, domains[i].high));
  IntegerSystem cover = need;
  if (!add_run(site, free_loops(site, cover), iters, cover)) return false;
  return sets.outside(need, {cover}, int(need.variables.size())).solvable == Solvable::kNo;
}

InstanceAnswer ask_terms_apart(BlockSite const& a, BlockSite const& b, IntegerSets& sets) {
  std::string const undecided = fmt::format("it is not known whether {} and {} add the same terms",
                                            a.block->name, b.block->name);
  bool parts =
      std::ranges::equal(a.block->iters, b.block->iters,
                         [](IterVar const& x, IterVar const& y) { return x.name() == y.name(); });
  IntegerSystem system;
  LinearRows iters = free_iters(*a.block, system);
  if (!parts || !add_run(a, free_loops(a, system), iters, system) ||
      !add_run(b, free_loops(b, system), iters, system))
    return {"", "", undecided};
  Solution common = sets.solve(system);
  if (common.solvable == Solvable::kNo) return {};
  if (common.solvable == Solvable::kOutOfTime) return {"", "", undecided};
  common.values.resize(a.block->iters.size());
  return {"terms_twice",
          fmt::format("{} and {} both add the term {}: their order cannot change", a.block->name,
                      b.block->name, instance_text(*a.block, common.values)),
          ""};
}

InstanceAnswer ask_instances(BlockSite const& was, BlockSite const& is, IntegerSets& sets) {
  auto lost = instance_of(was, is, sets), added = instance_of(is, was, sets);
  if (!lost || !added) return {"", "", "the integer-set solver gave no answer about its instances"};
  std::string const& name = was.block->name;
  if (!lost->empty())
    return {"instances_lost",
            fmt::format("{} would not be computed for {}", name, instance_text(*was.block, *lost)),
            ""};
  if (!added->empty())
    return {"instances_added",
            fmt::format("{} would also be computed for {}", name, instance_text(*is.block, *added)),
            ""};
  // A block that adds to what another one started would add a term again.
  bool goes_on = !is.block->init && reduction_of(*is.block);
  return goes_on ? come_once(is, sets) : InstanceAnswer();
}

}  // namespace tw
