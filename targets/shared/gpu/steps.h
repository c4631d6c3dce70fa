/// A schedule by rule under construction: lines of a script that are legal are kept.
#pragma once

#include <string>
#include <vector>

#include "engine/schedule/schedule.h"

namespace tw::gpu {

class Steps {
public:
  /// `budget`: of each step's proof.
  explicit Steps(Schedule schedule, ProofBudget budget = ProofBudget::kWork)
      : schedule_(std::move(schedule)), budget_(budget) {}

  /// False: it is refused, and nothing has changed.
  bool take(std::string const& line);
  /// All of them, one after the other; false at the first that is refused.
  bool take_all(std::vector<std::string> const& lines);
  Schedule const& schedule() const { return schedule_; }

  /// Names of the loops around a block below one of them, outermost first, as scripts have them.
  std::vector<std::string> loops_below(std::string const& block, std::string const& loop) const;
  /// Loops that are neighbours on one nest become one, whose name is the result; empty: refused.
  std::string fuse_all(std::string const& block, std::vector<std::string> const& loops,
                       std::string const& name);

private:
  Schedule schedule_;
  ProofBudget budget_;
};

}  // namespace tw::gpu
