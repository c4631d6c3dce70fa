#include "engine/schedule/legality/iteration_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/arith/integer_sets.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/evaluated_pair.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"

namespace tw {
namespace {

using namespace ir;

/// One of the two iterations: a block and its loops as variables.
class Side {
public:
  explicit Side(BlockSite const& site) : site_(site), rows_(ranges_of(site.loops)) {}

  BlockSite const& site() const { return site_; }
  int variable(std::string const& loop) const { return rows_.variable(loop); }
  void set(std::string const& loop, int variable) { rows_.set(loop, variable); }
  std::optional<LinearRow> row_of(Expr const& e, IntegerSystem& system) {
    return rows_.row_of(e, system);
  }
  /// What is known of when the access happens; parts that are not linear are left out.
  void add_conditions(Access const& access, IntegerSystem& system) {
    rows_.add_guard(site_.block->predicate, system);
    for (Expr const& condition : access.conditions) rows_.add_condition(condition, system);
  }

private:
  BlockSite site_;
  LinearRows rows_;
};

/// Two iterations that touch one element: `first` by one access, `second` by another.
class Pair {
public:
  /// Loops for which `agrees` holds have one variable for both.
  Pair(BlockSite const& a, Access const& first, BlockSite const& b, Access const& second,
       std::set<std::string> const& agree)
      : first_(a), second_(b), accesses_{&first, &second} {
    for (For const* loop : a.loops) {
      int shared = system_.variable(0, extent_of(*loop) - 1);
      first_.set(loop->name(), shared);
      if (agree.contains(loop->name())) second_.set(loop->name(), shared);
    }
    for (For const* loop : b.loops)
      if (!agree.contains(loop->name()))
        second_.set(loop->name(), system_.variable(0, extent_of(*loop) - 1));
    first_.add_conditions(first, system_);
    second_.add_conditions(second, system_);
    for (size_t d = 0; d < first.indices.size(); ++d) {
      auto left = first_.row_of(first.indices[d], system_);
      auto right = second_.row_of(second.indices[d], system_);
      if (!left || !right) continue;
      left->add(*right, -1);
      system_.zero.push_back(std::move(*left));
    }
  }

  /// The values of a loop: equal, or the first one's at least `least` greater.
  void equal_in(For const& loop) { system_.zero.push_back(difference(loop)); }
  void first_greater(For const& loop) {
    system_.not_negative.push_back(difference(loop));
    system_.not_negative.back().constant -= 1;
  }
  void second_greater(For const& loop) {
    LinearRow row{{}, -1};
    row.add(difference(loop), -1);
    system_.not_negative.push_back(std::move(row));
  }
  /// The iteration is one that sets a sum to its start.
  void first_starts() { starts(first_, 0); }
  void second_starts() { starts(second_, 1); }

  /// Adds to the answer; true when the search is over.
  bool ask(IntegerSets& sets, std::string const& differs, PairAnswer& answer) const {
    Solution solution = sets.solve(system_);
    answer.questions = sets.questions();
    if (solution.solvable == Solvable::kNo) return false;
    if (solution.solvable == Solvable::kOutOfTime) {
      answer.unknown = "the integer-set solver gave no answer in time";
      return true;
    }
    Conflict found = conflict_of(solution.values);
    if (!met(found)) {  // by a condition that is not linear
      answer.unknown = "its conditions are not linear in the loop variables";
      return false;
    }
    found.differs = differs;
    answer.conflict = std::move(found);
    answer.unknown.clear();
    return true;
  }

private:
  static int64_t extent_of(For const& loop) { return as_int(loop.extent).value_or(kLargestRow); }

  void starts(Side& side, size_t number) {
    starts_[number] = true;
    for (IterVar const& iter : side.site().block->iters)
      if (auto row =
              iter.kind == IterKind::kReduce ? side.row_of(iter.binding, system_) : std::nullopt)
        system_.zero.push_back(std::move(*row));
  }

  static bool sets_start(Side const& side, Iteration const& at) {
    std::vector<Expr> reduced;
    for (IterVar const& iter : side.site().block->iters)
      if (iter.kind == IterKind::kReduce) reduced.push_back(iter.binding);
    auto values = values_at(reduced, at);
    return values && std::ranges::all_of(*values, [](int64_t value) { return value == 0; });
  }

  LinearRow difference(For const& loop) const {
    return {{{first_.variable(loop.name()), 1}, {second_.variable(loop.name()), -1}}, 0};
  }

  Conflict conflict_of(std::vector<int64_t> const& values) const {
    Conflict found;
    for (auto const& [side, into] :
         {std::pair{&first_, &found.first}, std::pair{&second_, &found.second}})
      for (For const* loop : side->site().loops)
        into->loops.push_back({loop->name(), values[size_t(side->variable(loop->name()))]});
    found.block = second_.site().block->name;
    found.buffer = accesses_[0]->buffer;
    found.first_writes = accesses_[0]->writes;
    found.second_writes = accesses_[1]->writes;
    found.is_update = accesses_[0]->update || accesses_[1]->update;
    return found;
  }

  /// Both iterations run and touch one element, which becomes the conflict's.
  bool met(Conflict& found) const {
    EvaluatedPair pair = evaluated_pair(first_.site(), *accesses_[0], found.first, second_.site(),
                                        *accesses_[1], found.second);
    found.index = std::move(pair.index);
    return pair.meeting == Meeting::kMeet && (!starts_[0] || sets_start(first_, found.first)) &&
           (!starts_[1] || sets_start(second_, found.second));
  }

  IntegerSystem system_;
  Side first_, second_;
  Access const* accesses_[2];
  bool starts_[2] = {false, false};
};

bool same_indices(Access const& a, Access const& b) {
  return std::ranges::equal(a.indices, b.indices,
                            [](Expr const& x, Expr const& y) { return equal(x, y); });
}

/// Reads of what the block writes in the same iteration meet nothing that the write does not.
std::vector<Access> asked_accesses(std::vector<BlockSite> const& blocks,
                                   std::set<std::string> const& except) {
  std::vector<Access> all = shared_accesses(blocks, except), kept;
  for (Access const& access : all) {
    bool covered = !access.writes && std::ranges::any_of(all, [&](Access const& other) {
      return other.writes && other.block == access.block && other.buffer == access.buffer &&
             same_indices(access, other);
    });
    if (!covered) kept.push_back(access);
  }
  return kept;
}

/// The terms of a sum are added in any order, unless they are elements of the sums themselves.
bool keeps_an_order(BlockSite const& site) {
  return std::ranges::any_of(site.block->iters, [&](IterVar const& iter) {
    return iter.kind == IterKind::kOpaque ||
           (iter.kind == IterKind::kOrdered && !is_reduction(site));
  });
}

/// Which of two iterations is known to set the sum to its start.
enum class Starts : uint8_t { kNeither, kFirst, kSecond };

/// Asks for pairs that are in one order in `before` and in the other one in `after`.
class Overtaking {
public:
  Overtaking(std::vector<BlockSite> const& blocks, std::vector<For const*> const& before,
             std::vector<For const*> const& after, std::set<std::string> const& agree,
             ProofBudget budget)
      : blocks_(blocks), before_(before), after_(after), agree_(agree), sets_(budget) {
    for (For const* loop : blocks.front().loops) {
      if (loop->id == before.front()->id) break;
      agree_.insert(loop->name());
    }
    auto known = [&](For const* loop) { return agree_.contains(loop->name()); };
    std::erase_if(before_, known);
    std::erase_if(after_, known);
  }

  /// `earlier` runs before `later` now; true when the search is over.
  bool ask(Access const& earlier, Access const& later, Starts starts) {
    Pair pair(blocks_[earlier.block], earlier, blocks_[later.block], later, agree_);
    if (starts == Starts::kFirst) pair.first_starts();
    if (starts == Starts::kSecond) pair.second_starts();
    for (size_t b = 0; b < before_.size(); ++b) {
      Pair apart = pair_before(pair, b);
      for (size_t a = 0; a < after_.size(); ++a) {
        Pair turned = apart;
        for (size_t i = 0; i < a; ++i) turned.equal_in(*after_[i]);
        turned.first_greater(*after_[a]);
        if (turned.ask(sets_, after_[a]->name(), answer)) return true;
      }
    }
    return false;
  }

  PairAnswer answer;

private:
  Pair pair_before(Pair pair, size_t level) const {
    for (size_t i = 0; i < level; ++i) pair.equal_in(*before_[i]);
    pair.second_greater(*before_[level]);
    return pair;
  }

  std::vector<BlockSite> const& blocks_;
  std::vector<For const*> before_, after_;
  std::set<std::string> agree_;
  IntegerSets sets_;
};

}  // namespace

std::string PairAnswer::proof() const {
  return fmt::format("proved with integer sets ({} question{})", questions,
                     questions == 1 ? "" : "s");
}

PairAnswer find_carried(std::vector<BlockSite> const& blocks, For const& loop,
                        std::set<std::string> const& except, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return {};
  PairAnswer answer;
  IntegerSets sets(budget);
  std::set<std::string> agree;
  for (For const* outer : blocks.front().loops) {
    if (outer->id == loop.id) break;
    agree.insert(outer->name());
  }
  std::vector<Access> accesses = asked_accesses(blocks, except);
  for (size_t a = 0; a < accesses.size(); ++a)
    for (size_t b = a; b < accesses.size(); ++b) {
      Access const &x = accesses[a], &y = accesses[b];
      if (x.buffer != y.buffer || !(x.writes || y.writes)) continue;
      for (bool swapped : {false, true}) {
        if (swapped && a == b) continue;
        Access const &first = swapped ? y : x, &second = swapped ? x : y;
        Pair pair(blocks[first.block], first, blocks[second.block], second, agree);
        pair.second_greater(loop);
        if (pair.ask(sets, loop.name(), answer)) return answer;
      }
    }
  return answer;
}

PairAnswer find_overtaken(std::vector<BlockSite> const& blocks,
                          std::vector<For const*> const& before,
                          std::vector<For const*> const& after, std::set<std::string> const& agree,
                          std::set<std::string> const& except, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return {};
  Overtaking overtaking(blocks, before, after, agree, budget);
  std::vector<Access> accesses = asked_accesses(blocks, except);
  for (size_t a = 0; a < accesses.size(); ++a)
    for (size_t b = a; b < accesses.size(); ++b) {
      Access const &x = accesses[a], &y = accesses[b];
      if (x.buffer != y.buffer || !(x.writes || y.writes)) continue;
      BlockSite const& site = blocks[x.block];
      bool one = a == b;
      if (one && is_complete(site)) continue;
      if (one && x.update && !keeps_an_order(site)) {
        // The terms of a sum may change places, but not with its start: neither with one that came
        // before them, nor, where parts are computed again, with the next one.
        if (!site.block->init) continue;
        bool over = overtaking.ask(x, y, Starts::kFirst) ||
                    (!runs_once(site, before) && overtaking.ask(x, y, Starts::kSecond));
        overtaking.answer.start_overtaken = over;
        if (over) return overtaking.answer;
        continue;
      }
      if (overtaking.ask(x, y, Starts::kNeither) ||
          (!one && overtaking.ask(y, x, Starts::kNeither)))
        return overtaking.answer;
    }
  return overtaking.answer;
}

namespace {

/// Both add terms to sums of one tensor, in the same way, and the first one does not start them:
/// terms may come in any order, after the start.
bool are_terms(BlockSite const& a, Access const& x, BlockSite const& b, Access const& y) {
  if (!x.update || !y.update || a.block->init || keeps_an_order(a) || keeps_an_order(b))
    return false;
  return written_buffer(a) && written_buffer(b) && x.buffer == y.buffer &&
         reduction_of(*a.block)->op == reduction_of(*b.block)->op;
}

}  // namespace

PairAnswer find_crossing(std::vector<BlockSite> const& first, std::vector<BlockSite> const& second,
                         std::vector<For const*> const& chain, std::set<std::string> const& except,
                         ProofBudget budget, bool second_leads) {
  PairAnswer answer;
  std::vector<BlockSite> blocks = first;
  blocks.insert(blocks.end(), second.begin(), second.end());
  auto apart = separated_loops(blocks, chain, except);
  bool never_meet = !second_leads && std::ranges::find(apart, false) == apart.end();
  if (budget == ProofBudget::kTrusted || never_meet) return answer;
  IntegerSets sets(budget);
  std::set<std::string> agree;
  for (For const* outer : blocks.front().loops) {
    if (outer->id == chain.front()->id) break;
    agree.insert(outer->name());
  }
  std::vector<Access> accesses = asked_accesses(blocks, except);
  for (Access const& x : accesses)
    for (Access const& y : accesses) {
      bool asked = x.block >= first.size() && y.block < first.size() && x.buffer == y.buffer &&
                   (x.writes || y.writes);
      bool terms = asked && are_terms(blocks[x.block], x, blocks[y.block], y);
      if (terms && !blocks[y.block].block->init) continue;
      auto pair_in = [&](std::set<std::string> const& equal) {
        Pair pair(blocks[x.block], x, blocks[y.block], y, equal);
        if (terms) pair.second_starts();
        return pair;
      };
      std::set<std::string> equal = agree;
      for (size_t level = 0; asked && level < chain.size(); ++level) {
        Pair pair = pair_in(equal);
        pair.second_greater(*chain[level]);
        if (pair.ask(sets, chain[level]->name(), answer)) return answer;
        equal.insert(chain[level]->name());
      }
      if (asked && second_leads && pair_in(equal).ask(sets, "", answer)) return answer;
    }
  return answer;
}

PairAnswer find_written_by_both(BlockSite const& a, BlockSite const& b, ProofBudget budget) {
  PairAnswer answer;
  if (budget == ProofBudget::kTrusted) return answer;
  IntegerSets sets(budget);
  std::vector<Access> of_a = accesses_of(a), of_b = accesses_of(b, 1);
  for (Access const& x : of_a)
    for (Access const& y : of_b) {
      if (!x.writes || !y.writes || x.buffer != y.buffer) continue;
      if (Pair(a, x, b, y, {}).ask(sets, "", answer)) return answer;
    }
  return answer;
}

PairAnswer find_restarted(BlockSite const& site, std::vector<For const*> const& loops,
                          ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return {};
  PairAnswer answer;
  if (runs_once(site, loops)) return answer;
  IntegerSets sets(budget);
  std::set<std::string> agree;
  for (For const* outer : site.loops) {
    if (outer->id == loops.front()->id) break;
    agree.insert(outer->name());
  }
  std::vector<Access> accesses = accesses_of(site);
  auto store = std::ranges::find_if(accesses, [](Access const& access) { return access.writes; });
  for (size_t level = 0; level < loops.size(); ++level) {
    Pair pair(site, *store, site, *store, agree);
    pair.first_starts();
    pair.second_starts();
    for (size_t i = 0; i < level; ++i) pair.equal_in(*loops[i]);
    pair.second_greater(*loops[level]);
    if (pair.ask(sets, loops[level]->name(), answer)) return answer;
  }
  return answer;
}

}  // namespace tw
