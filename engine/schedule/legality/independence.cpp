#include "engine/schedule/legality/independence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/conflict_search.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

/// "iterations c=0 and c=1 (n=0 o=0)": loops that differ in both, the others once.
std::string pair_text(Conflict const& conflict) {
  std::string first, second, rest;
  auto put = [](std::string& into, std::string const& name, int64_t value) {
    into += fmt::format("{}{}={}", into.empty() ? "" : " ", name, value);
  };
  for (size_t i = 0; i < conflict.first.loops.size(); ++i) {
    auto const& [name, value] = conflict.first.loops[i];
    bool both = i < conflict.second.loops.size() && conflict.second.loops[i].first == name;
    if (both && conflict.second.loops[i].second == value) {
      put(rest, name, value);
      continue;
    }
    put(first, name, value);
    if (i < conflict.second.loops.size())
      put(second, conflict.second.loops[i].first, conflict.second.loops[i].second);
  }
  return fmt::format("iterations {} and {}{}", first, second,
                     rest.empty() ? "" : " (" + rest + ")");
}

std::string action_text(Conflict const& conflict) {
  std::string element = fmt::format("{}[{}]", conflict.buffer, fmt::join(conflict.index, ","));
  if (conflict.is_update) return "both update " + element;
  if (conflict.first_writes && conflict.second_writes) return "both write " + element;
  return fmt::format("touch {}, which the {} one writes and the {} one reads", element,
                     conflict.first_writes ? "first" : "second",
                     conflict.first_writes ? "second" : "first");
}

struct Use {
  IterKind kind = IterKind::kSpatial;
  std::string block;
  bool mixed = false;  ///< it is also a part of other iterators
};

/// What the loop is for: the strictest kind of iterator that it feeds.
Use use_of(std::vector<BlockSite> const& blocks, std::string const& loop) {
  Use use;
  for (BlockSite const& site : blocks)
    for (IterVar const& iter : site.block->iters) {
      if (!uses_variable(iter.binding, loop)) continue;
      if (iter.kind > use.kind || use.block.empty()) {
        use.mixed = use.mixed || !use.block.empty();
        use.kind = iter.kind;
        use.block = site.block->name;
      } else if (iter.kind != use.kind) {
        use.mixed = true;
      }
    }
  return use;
}

std::string role_text(Use const& use) {
  std::string_view role = use.mixed ? "holds a part of a" : "is a";
  if (use.kind == IterKind::kReduce)
    return fmt::format("{} reduction axis of block {}", role, use.block);
  if (use.kind == IterKind::kOrdered) {
    role = use.mixed ? "holds a part of an" : "is an";
    return fmt::format("{} ordered axis of block {}", role, use.block);
  }
  return "carries a dependence of block " + use.block;
}

std::string code_of(IterKind kind) {
  if (kind == IterKind::kReduce) return "reduction_carried";
  return kind == IterKind::kOrdered ? "order_carried" : "dependence_carried";
}

struct Asked {
  LoopSite const& loop;
  std::string name;
  Use use;
  std::string condition;
};

std::unexpected<Refusal> refuse_pair(Asked const& asked, Conflict conflict) {
  std::string message = fmt::format("{} {}: {} {}", asked.name, role_text(asked.use),
                                    pair_text(conflict), action_text(conflict));
  auto refusal = refuse(code_of(asked.use.kind), std::move(message), asked.condition, {asked.loop});
  refusal.error().conflict = std::move(conflict);
  return refusal;
}

std::unexpected<Refusal> refuse_undecided(Asked const& asked, std::string const& why) {
  auto refusal = refuse("undecided",
                        fmt::format("it could not be proved that iterations of {} are independent, "
                                    "although no conflicting pair was found: {}",
                                    asked.name, why),
                        asked.condition, {asked.loop});
  refusal.error().undecided = true;
  return refusal;
}

}  // namespace

std::expected<Proof, Refusal> independent_iterations(Program const& program, Target const& target,
                                                     LoopSite const& loop, std::string const& verb,
                                                     ProofBudget budget) {
  if (is_int(loop.loop->extent, 1)) return Proof{"a single iteration"};
  if (budget == ProofBudget::kTrusted) return Proof{};
  std::vector<BlockSite> blocks = blocks_under(loop);
  Asked asked{loop, reference_of(program, loop.loop->id), use_of(blocks, loop.loop->name()),
              verb + ": no element written by one iteration may be read or written by another"};
  std::set<std::string> own = tensors_of_iteration(target, *loop.loop);
  if (separated_loops(blocks, {loop.loop}, own).front())
    return Proof{"each iteration accesses its own elements"};
  SearchResult search = find_conflict(blocks, *loop.loop, own);
  if (search.conflict) return refuse_pair(asked, std::move(*search.conflict));
  if (search.complete) return Proof{"all pairs of iterations were compared"};
  PairAnswer pairs = find_carried(blocks, *loop.loop, own, budget);
  if (pairs.conflict) return refuse_pair(asked, std::move(*pairs.conflict));
  if (!pairs.none()) return refuse_undecided(asked, pairs.unknown);
  return Proof{pairs.proof()};
}

}  // namespace tw
