/// Whether a system of linear conditions has an integer solution, and the least one: answered
/// exactly by isl, within a limit of work.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/arith/proof_budget.h"

namespace tw {

/// factor * variable + ... + constant
struct LinearRow {
  std::vector<std::pair<int, int64_t>> terms;  ///< a variable may occur several times
  int64_t constant = 0;

  void add(LinearRow const& other, int64_t factor);
};

/// A conjunction of conditions on variables between constant bounds. Variables are numbered in the
/// order in which they are made; the least solution is least in this order.
struct IntegerSystem {
  struct Bounds {
    int64_t low, high;
  };
  std::vector<Bounds> variables;
  std::vector<LinearRow> zero;          ///< each = 0
  std::vector<LinearRow> not_negative;  ///< each >= 0

  int variable(int64_t low, int64_t high);
};

enum class Solvable : uint8_t { kNo, kYes, kOutOfTime };

struct Solution {
  Solvable solvable = Solvable::kOutOfTime;
  std::vector<int64_t> values;  ///< of every variable, when there is a solution
};

/// Answers questions, each within a limit of work. The first one without an answer ends the search:
/// later ones have none either.
class IntegerSets {
public:
  explicit IntegerSets(ProofBudget budget);
  ~IntegerSets();
  /// Groups of variables that share no condition are solved one by one.
  Solution solve(IntegerSystem const& system);
  /// A point of `need` that none of `covers` holds. Only the first `kept` variables count: they are
  /// the same ones in all systems, of the others some values must exist. The solution has values of
  /// the first `kept` ones.
  Solution outside(IntegerSystem const& need, std::vector<IntegerSystem> const& covers, int kept);
  int questions() const { return questions_; }

private:
  Solution search(IntegerSystem const& system);
  Solution search_outside(IntegerSystem const& need, std::vector<IntegerSystem> const& covers,
                          int kept);

  struct Context;
  std::unique_ptr<Context> context_;
  int questions_ = 0;
  bool over_ = false;
};

}  // namespace tw
