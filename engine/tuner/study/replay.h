/// Searches on a table: the table stands for the device.
#pragma once

#include <unordered_map>

#include "engine/tuner/search/search.h"
#include "engine/tuner/study/table.h"

namespace tw {

/// A table's times by the schedules that its points are.
class TableTimes {
public:
  /// Errors: those of the space.
  static Result<TableTimes> create(Space const& space, StudyTable const& table);

  /// Null: the table does not say. Inner nothing: that it failed.
  std::optional<double> const* find(std::string const& script) const;
  double best() const { return best_; }

private:
  std::unordered_map<std::string, std::optional<double>> times_;
  double best_ = 0;
};

struct Replayed {
  std::vector<double> best;  ///< after each trial; 0 before something was right
  double seconds = 0;        ///< of processor time that the search took by itself
  bool converged = false;
};
/// What is not in the table is left out like what was proposed before. Results come as late as on a
/// device: two candidates are compiled ahead. Errors: those of the space.
Result<Replayed> replay(Search& search, TableTimes const& times, int trials);

struct SearchSummary {
  std::string search;
  std::vector<Replayed> runs;       ///< one a seed
  std::optional<int> trials_to_95;  ///< median; nothing: half of the runs did not come there
  std::vector<double> regret;       ///< median after each trial, as a share of the best
  double seconds_per_trial = 0;     ///< of the search itself, the mean
};
/// `seeds` runs of one search, from seed 1. Errors: those of the space.
Result<SearchSummary> summarize(SearchRow const& row, Space const& space, TableTimes const& times,
                                int trials, int seeds);

}  // namespace tw
