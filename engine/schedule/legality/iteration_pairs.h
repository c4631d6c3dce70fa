/// Whether two iterations meet in an element, decided by integer sets: one question for each pair
/// of accesses and each loop that may tell the iterations apart.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"

namespace tw {

struct PairAnswer {
  std::optional<Conflict> conflict;
  bool start_overtaken = false;  ///< the conflict is that of a sum's start with one of its terms
  std::string unknown;           ///< why there is no answer; empty: there is one
  int questions = 0;

  bool none() const { return !conflict && unknown.empty(); }
  std::string proof() const;
};

/// Two iterations of `loop` (loops around equal, loops below free) that meet in an element which
/// one of them writes; tensors in `except` are not looked at.
PairAnswer find_carried(std::vector<ir::BlockSite> const& blocks, ir::For const& loop,
                        std::set<std::string> const& except, ProofBudget budget);

/// Two iterations that meet in an element and change places when the loops of a perfect chain come
/// in another order. Terms of one sum may change places with one another, not with its start;
/// instances of a complete block write one value. Iterations that meet are known to agree in the
/// loops of `agree`.
PairAnswer find_overtaken(std::vector<ir::BlockSite> const& blocks,
                          std::vector<ir::For const*> const& before,
                          std::vector<ir::For const*> const& after,
                          std::set<std::string> const& agree, std::set<std::string> const& except,
                          ProofBudget budget);

/// Two iterations of a chain of loops (those around it equal, those below free) that meet in an
/// element which one of them writes: the earlier one of a block of `second`, the later one of a
/// block of `first`. They change places when all of `first` runs before `second`. Of one iteration
/// they do, too, where statements of `second` come before those of `first` in it.
PairAnswer find_crossing(std::vector<ir::BlockSite> const& first,
                         std::vector<ir::BlockSite> const& second,
                         std::vector<ir::For const*> const& chain,
                         std::set<std::string> const& except, ProofBudget budget,
                         bool second_leads = false);

/// Two iterations, whatever their loops, in which two blocks write one element.
PairAnswer find_written_by_both(ir::BlockSite const& a, ir::BlockSite const& b, ProofBudget budget);

/// Two iterations of nested loops, those around them equal, that both start the sum of one element:
/// a nest that computes parts again.
PairAnswer find_restarted(ir::BlockSite const& site, std::vector<ir::For const*> const& loops,
                          ProofBudget budget);

}  // namespace tw
